/// What the server does in one step.
struct RedisScript {
    let text: String

    /// Compares what a batch depends on, and stores it.
    static let append = RedisScript(
        text: """
            local newest, log, history, steps, policy, own = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
            local batch = cjson.decode(ARGV[1])
            local before = redis.call('GET', newest) or '0'
            -- A repeated batch is recognised before its conditions, which no longer hold.
            local last = redis.call('HMGET', own, 'number', 'before', 'token')
            if last[1] == ARGV[4] then return {'stored', last[2], last[3], before, 0} end
            -- The command of a connection that was cut may come after those of the next one. Nobody waits for it any more.
            local call = 'call:' .. batch.writer
            if tonumber(redis.call('HGET', own, call) or 0) > batch.call then return {'late'} end
            if batch.at and batch.at ~= before then return {'conflict'} end
            if (redis.call('GET', policy) or '') ~= batch.policy then return {'policy', redis.call('GET', policy) or ''} end
            for index = 7, #KEYS do
                if redis.call('GET', KEYS[index]) ~= batch.leases[index - 6] then return {'leaseLost', KEYS[index]} end
            end
            if batch.known then
                local known = {}
                for _, name in ipairs(batch.known) do known[name] = true end
                for _, name in ipairs(redis.call('SMEMBERS', steps)) do
                    if not known[name] then return {'migrated', name} end
                end
            end
            local origin, count = string.match(before, '^(%x+)-(%d+)-')
            count = string.format('%.0f', tonumber(count or 0) + batch.count)
            local token = (origin or batch.origin) .. '-' .. count .. '-' .. batch.checksum
            redis.call('SET', newest, token)
            redis.call('ZADD', log, count, token .. ' ' .. ARGV[2])
            if ARGV[3] ~= '' then
                redis.call('ZADD', history, count, token .. ' ' .. ARGV[3])
                redis.call('ZREMRANGEBYRANK', history, 0, -batch.limit - 1)
            end
            if batch.steps then
                redis.call('DEL', steps)
                for _, name in ipairs(batch.steps) do redis.call('SADD', steps, name) end
            end
            redis.call('HSET', own, 'number', ARGV[4], 'before', before, 'token', token, call, batch.call)
            redis.call('EXPIRE', own, batch.remembered)
            redis.call('PUBLISH', newest, batch.writer)
            return {'stored', before, token, token, redis.call('ZCARD', log)}
            """)

    static let newest = RedisScript(text: "return redis.call('GET', KEYS[1])")

    /// Reads everything at one moment: a snapshot, and the batches after it.
    static let load = RedisScript(
        text: """
            local snapshot = redis.call('HMGET', KEYS[2], 'token', 'tree')
            local start = string.match(snapshot[1] or '', '^%x+-(%d+)-')
            return {redis.call('GET', KEYS[1]), snapshot[1], snapshot[2],
                redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. (start or '0'), '+inf'), redis.call('GET', KEYS[4]) or ''}
            """)

    /// Reads the batches after a position, if that is one of this log.
    static let changes = RedisScript(
        text: """
            local now = redis.call('GET', KEYS[1]) or '0'
            if now == ARGV[1] then return {now, {}} end
            local start = string.match(ARGV[1], '^%x+-(%d+)-') or '0'
            local isKnown = ARGV[1] == '0' and redis.call('EXISTS', KEYS[2]) == 0
            for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], start, start)) do
                if string.sub(entry, 1, #ARGV[1] + 1) == ARGV[1] .. ' ' then isKnown = true end
            end
            return {now, isKnown and redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. start, '+inf')}
            """)

    /// Stores a snapshot, and removes old batches that it has. The log must still have the batch at which it was made,
    /// and with it all that come after it.
    static let compact = RedisScript(
        text: """
            local position = string.match(ARGV[1], '^%x+-(%d+)-')
            local entry = redis.call('ZRANGEBYSCORE', KEYS[2], position, position)[1] or ''
            if string.sub(entry, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return 0 end
            redis.call('HSET', KEYS[1], 'token', ARGV[1], 'tree', ARGV[2])
            return redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', tonumber(position) - ARGV[3])
            """)

    static let lock = RedisScript(
        text: """
            if redis.call('EXISTS', KEYS[1]) == 1 then return false end
            local fence = redis.call('INCR', KEYS[2])
            redis.call('SET', KEYS[1], fence, 'PX', ARGV[1])
            return {fence, redis.call('GET', KEYS[3]) or '0'}
            """)

    static let renew = RedisScript(
        text: "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2])")

    static let unlock = RedisScript(
        text: "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])")

    /// Replaces the policy of the history, if nobody has replaced it meanwhile.
    static let setPolicy = RedisScript(
        text: """
            if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[1], ARGV[2])
            if ARGV[3] == 'none' then redis.call('DEL', KEYS[2]) end
            return 1
            """)

    /// Replaces records of the history, which come in pairs.
    static let rewrite = RedisScript(
        text: """
            for index = 1, #ARGV, 2 do
                local score = redis.call('ZSCORE', KEYS[1], ARGV[index])
                if score then
                    redis.call('ZREM', KEYS[1], ARGV[index])
                    redis.call('ZADD', KEYS[1], score, ARGV[index + 1])
                end
            end
            """)
}

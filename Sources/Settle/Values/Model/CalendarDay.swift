/// A day of a calendar.
struct CalendarDay: Hashable {
    enum Calendar {
        /// The Gregorian calendar, extended to the time before its introduction, as ISO 8601 demands.
        case gregorian
        /// The Gregorian calendar from 15 October 1582 on and the Julian one before, as in Foundation.
        case historical
    }

    let year: Int
    /// 1…12
    let month: Int
    /// 1…31
    let day: Int
    /// 1 January 1970 is 0.
    let daysSince1970: Int

    /// `nil` if the month has no such day.
    init?(year: Int, month: Int, day: Int, in calendar: Calendar = .gregorian) {
        let isJulian = calendar == .historical && (year, month, day) < (1582, 10, 15)
        let leapYears = isJulian ? LeapYears.julian : .gregorian
        guard (1...12).contains(month), day >= 1, day <= leapYears.lengthOfMonth(month, in: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
        // Years start in March here, so that the leap day is the last of its year.
        let yearFromMarch = month <= 2 ? year - 1 : year
        let cycle = yearFromMarch.flooredQuotient(by: leapYears.cycleYears)
        let yearOfCycle = yearFromMarch - cycle * leapYears.cycleYears
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + leapYears.leapDays(before: yearOfCycle) + dayOfYear
        daysSince1970 = cycle * leapYears.cycleDays + dayOfCycle - leapYears.daysFromMarch0To1970
    }

    /// `nil` more than some five million years away, which no caller needs.
    init?(daysSince1970: Int, in calendar: Calendar = .gregorian) {
        // Within 32 bits, the size of `Int` on watches.
        guard (-2_000_000_000...2_000_000_000).contains(daysSince1970) else { return nil }
        let isJulian = calendar == .historical && daysSince1970 < -141_427
        let leapYears = isJulian ? LeapYears.julian : .gregorian
        let days = daysSince1970 + leapYears.daysFromMarch0To1970
        let cycle = days.flooredQuotient(by: leapYears.cycleDays)
        let dayOfCycle = days - cycle * leapYears.cycleDays
        let yearOfCycle = leapYears.year(ofDay: dayOfCycle)
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + leapYears.leapDays(before: yearOfCycle))
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfCycle + cycle * leapYears.cycleYears + (month <= 2 ? 1 : 0)
        self.daysSince1970 = daysSince1970
    }
}

/// When a calendar has leap years; they repeat in cycles.
private struct LeapYears {
    let cycleYears: Int
    let cycleDays: Int
    /// From the start of March in the calendar's year 0.
    let daysFromMarch0To1970: Int

    static let gregorian = LeapYears(cycleYears: 400, cycleDays: 146_097, daysFromMarch0To1970: 719_468)
    static let julian = LeapYears(cycleYears: 4, cycleDays: 1_461, daysFromMarch0To1970: 719_470)

    /// Counts the years of a cycle before the given one. The leap day of the cycle's last year comes at its very end.
    func leapDays(before yearOfCycle: Int) -> Int { yearOfCycle / 4 - yearOfCycle / 100 }

    func year(ofDay dayOfCycle: Int) -> Int {
        (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    }

    func lengthOfMonth(_ month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (cycleYears == 4 || year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    fileprivate func flooredQuotient(by divisor: Int) -> Int {
        (self >= 0 ? self : self - (divisor - 1)) / divisor
    }
}

/// The panel's one style sheet.
enum PanelStyle {
    /// Changes with the style sheet and the script, so that browsers load them anew.
    static let version = Fingerprint.of(text + PanelScript.text)

    /// For programs that have none: a switch.
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="8" width="28" height="16" rx="8" \
        fill="#2563eb"/><circle cx="22" cy="16" r="6" fill="#fff"/></svg>
        """

    static let text = """
        :root {
          color-scheme: light dark;
          --page: #f3f4f6; --card: #fff; --text: #16181d; --faint: #5b6270; --line: #dfe2e8; --field: #fff;
          --edge: #868d9b; --accent: #1d5bd8; --on-accent: #fff; --bad: #b3261e; --bad-back: #fdeceb;
          --note-back: #eef2fb; --good: #2e7d4f;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #121317; --card: #1d1f25; --text: #eceef2; --faint: #a3aab8; --line: #32353e; --field: #14161b;
            --edge: #767d8c; --accent: #7ea9ff; --on-accent: #0b1530; --bad: #ffb4ab; --bad-back: #3b1a18;
            --note-back: #1d2740; --good: #7fd6a4;
          }
        }
        * { box-sizing: border-box; }
        html { font: 100%/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
        body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere; }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .hidden, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap; }
        .skip:focus { position: absolute; inset-block-start: .5rem; inset-inline-start: .5rem; background: var(--card);
          padding: .5rem 1rem; z-index: 2; }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; padding: .6rem 1rem;
          background: var(--card); border-block-end: 1px solid var(--line); position: sticky; inset-block-start: 0;
          z-index: 1; }
        header .home { font-weight: 600; color: inherit; text-decoration: none; display: inline-flex; gap: .5rem;
          align-items: center; }
        header form { display: flex; gap: .5rem; margin-inline-start: auto; min-width: 0; flex: 0 1 20rem; }
        header input { flex: 1; min-width: 6rem; }
        main { max-width: 46rem; margin: 0 auto; padding: 1rem 1rem 5rem; }
        h1 { font-size: 1.6rem; margin: .6rem 0 1rem; line-height: 1.2; }
        h2 { font-size: .95rem; font-weight: 600; color: var(--faint); margin: 1.6rem .25rem .5rem; }
        nav { font-size: .95rem; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow: clip; }
        section + section { margin-block-start: 1.2rem; }
        .card > * + * { border-block-start: 1px solid var(--line); }
        .footer, .foot, .empty { color: var(--faint); font-size: .9rem; margin: .5rem .25rem; }
        .foot { display: flex; gap: 1.2rem; margin-block-start: 2rem; }
        .control { display: block; padding: .8rem 1rem; margin: 0; scroll-margin-block-start: 5rem; }
        .control:target { box-shadow: inset 3px 0 var(--accent); }
        .row { display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; align-items: center; justify-content: space-between; }
        .head { flex: 1 1 14rem; min-width: 0; }
        .title { font-weight: 500; }
        .help { margin: .15rem 0 0; color: var(--faint); font-size: .875rem; }
        .mark { font-size: .75rem; color: var(--accent); border: 1px solid currentColor; border-radius: 1rem;
          padding: 0 .5rem; margin-inline-start: .5rem; white-space: nowrap; }
        .field { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; min-width: 0; max-width: 100%; }
        .unit { color: var(--faint); }
        .more { display: flex; gap: 1rem; align-items: center; font-size: .85rem; margin-block-start: .25rem; }
        .more a { color: var(--faint); }
        .note, .problem { border-radius: .5rem; padding: .5rem .75rem; margin: .6rem 0 0; font-size: .9rem; }
        .note { background: var(--note-back); }
        .problem { background: var(--bad-back); color: var(--bad); }
        .problem p { margin: 0; }
        .problem p ~ .button, .problem p ~ button { margin-block-start: .5rem; }
        .problem dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; margin: .5rem 0; color: var(--text); }
        .problem dt { color: var(--faint); }
        .problem dd { margin: 0; white-space: pre-wrap; }
        input, select, textarea, button, .button { font: inherit; color: inherit; }
        input:not([type=checkbox], [type=radio], [type=range]), select, textarea { background: var(--field);
          border: 1px solid var(--edge); border-radius: .5rem; padding: .4rem .6rem; min-height: 2.5rem; max-width: 100%; }
        input[type=number] { width: 9rem; text-align: end; }
        .control input[type=text], .control input:not([type]), .control input[type=password], .control select {
          width: 15rem; }
        textarea { width: 22rem; font-family: ui-monospace, monospace; font-size: .9rem; }
        [aria-invalid=true] { border-color: var(--bad) !important; }
        :disabled, [readonly], .switch[aria-disabled], .choice[aria-disabled] { opacity: .6; cursor: not-allowed; }
        button, .button { background: var(--accent); color: var(--on-accent); border: 1px solid transparent;
          border-radius: .5rem; padding: .4rem .9rem; min-height: 2.5rem; cursor: pointer; text-decoration: none;
          display: inline-flex; align-items: center; justify-content: center; }
        .quiet { background: none; color: var(--accent); border-color: var(--line); }
        .more .quiet { border: 0; padding: 0; min-height: 1.5rem; font-size: inherit; }
        .danger { background: var(--bad); color: var(--page); }
        .default { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); padding: 0;
          min-height: 0; border: 0; }
        .script .save { display: none; }
        .switch { appearance: none; width: 3.25rem; height: 1.9rem; border-radius: 1rem; background: var(--edge);
          position: relative; margin: 0; cursor: pointer; transition: background .15s; flex: none; }
        .switch::after { content: ""; position: absolute; inset-block-start: .2rem; inset-inline-start: .2rem;
          width: 1.5rem; height: 1.5rem; border-radius: 50%; background: #fff; transition: inset-inline-start .15s; }
        .switch:is(:checked, [aria-checked=true]) { background: var(--accent); }
        .switch:is(:checked, [aria-checked=true])::after { inset-inline-start: 1.55rem; }
        .radios { display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
        .radios label, .choice { display: inline-flex; gap: .4rem; align-items: center; min-height: 2rem; }
        .choice::before { content: ""; width: 1.15rem; height: 1.15rem; border: 1px solid var(--edge);
          border-radius: 50%; flex: none; }
        .choice[aria-checked=true]::before { border: .35rem solid var(--accent); }
        input[type=radio] { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
        .slider { display: inline-flex; align-items: center; gap: .6rem; max-width: 100%; }
        .slider input { width: 13rem; min-width: 5rem; accent-color: var(--accent); min-height: 2rem; }
        .slider output { min-width: 3ch; text-align: end; font-variant-numeric: tabular-nums; }
        .slider img { width: 21px; height: 21px; object-fit: contain; }
        .secret { display: inline-flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
        .secret .state { color: var(--faint); }
        .parts { display: grid; gap: .4rem; width: 24rem; max-width: 100%; }
        .part { display: flex; flex-wrap: wrap; gap: .4rem; }
        .part input:not([type=checkbox]), .part select { flex: 1 1 6rem; width: auto; min-width: 5rem; }
        .part input[type=number] { text-align: start; }
        .part button { min-width: 2.5rem; padding: 0 .6rem; }
        .pane { display: flex; justify-content: space-between; gap: 1rem; padding: .9rem 1rem; color: inherit;
          text-decoration: none; }
        .pane:hover { background: var(--note-back); }
        .chevron { color: var(--faint); }
        [dir=rtl] .chevron { transform: scaleX(-1); }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { text-align: start; padding: .5rem .75rem; vertical-align: top; overflow-wrap: break-word; }
        td:last-child { min-width: 12rem; overflow-wrap: anywhere; }
        td { border-block-start: 1px solid var(--line); }
        .force { font-weight: 600; }
        .history { list-style: none; margin: 0; padding: 0; }
        .history li { padding: .6rem 1rem; display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: center; }
        .history li > p:first-child { flex: 1 1 100%; margin: 0; color: var(--faint); font-size: .85rem; }
        .history .change { margin: 0; flex: 1; }
        .history del { color: var(--faint); }
        .history ins { text-decoration: none; }
        .question { display: flex; gap: .75rem; }
        #status { position: fixed; inset-block-end: 1rem; inset-inline: 1rem; margin: 0 auto; width: fit-content;
          max-width: 90%; padding: .5rem 1rem; border-radius: 2rem; background: var(--text); color: var(--page);
          opacity: 0; transition: opacity .2s; pointer-events: none; }
        #status.shown { opacity: 1; }
        .entrance main { padding-block-start: 15vh; max-width: 30rem; text-align: center; }
        .fresh { animation: fresh 1.6s; }
        .again { animation: again 1.6s; }
        @keyframes fresh { from { background: var(--note-back); } }
        @keyframes again { from { background: var(--note-back); } }
        @media (max-width: 30rem) {
          .field, .control select, .control input[type=text], .control input:not([type]), .control input[type=password],
          textarea { width: 100%; }
          .field:has(.switch) { width: auto; }
          .head { flex-basis: 60%; }
          .slider, .secret, .secret input { width: 100%; }
          .slider input { flex: 1; }
          .script .field:has([type=datetime-local]) { flex-wrap: nowrap; }
          .field [type=datetime-local] { flex: 1; min-width: 0; }
        }
        @media (prefers-reduced-motion: reduce) { *, *::after { transition: none !important; animation: none !important; } }
        @media (forced-colors: active) { .switch { border: 1px solid; forced-color-adjust: none; } }
        """
}

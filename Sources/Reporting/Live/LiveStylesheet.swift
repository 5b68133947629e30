/// What the page of a run that goes on adds to ``Rendering/Stylesheet``.
enum LiveStylesheet {
    static let text: StaticString = """
        .watch{margin:22px 0 0;padding:14px 18px;background:var(--card);border:1px solid var(--rule);
        border-radius:10px}
        .watch p{margin:0}
        .progress{display:flex;flex-wrap:wrap;align-items:center;gap:4px 14px}
        progress{flex:1 1 240px;height:12px;min-width:0;appearance:none;border:0;border-radius:6px;
        overflow:hidden;background:var(--rule);accent-color:var(--delivered)}
        progress::-webkit-progress-bar{background:var(--rule)}
        progress::-webkit-progress-value{background:var(--delivered)}
        progress::-moz-progress-bar{background:var(--delivered)}
        #line{flex:2 1 300px;font-size:14.5px}
        .buttons{display:flex;flex-wrap:wrap;align-items:center;gap:10px;padding-top:12px}
        button{font:inherit;font-size:15px;color:var(--ink);background:var(--paper);min-height:44px;
        border:1px solid var(--quiet);border-radius:8px;padding:6px 16px;cursor:pointer}
        button:hover:enabled{border-color:var(--ink)}
        button:disabled{color:var(--quiet);border-style:dashed;cursor:default}
        button:focus-visible{outline:2px solid var(--delivered);outline-offset:2px}
        #stop:enabled{color:var(--bad);border-color:var(--bad)}
        #link{font-size:14px;color:var(--quiet)}
        .verdict.going{--tone:var(--delivered)}
        .moment{margin:14px 0 -12px;font-size:14px;color:var(--quiet)}
        .course{margin:0;padding:0;list-style:none;font-size:14.5px}
        .course li{display:flex;gap:12px;padding:4px 0;border-bottom:1px solid var(--rule)}
        .course b{flex:0 0 7em;font-weight:620}
        .course .over,.course .ahead{color:var(--quiet)}.course .force b{color:var(--warn)}
        .log{display:flex;flex-direction:column-reverse;max-height:20em;overflow:auto;
        font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:13px}
        .log ol{margin:0;padding:0;list-style:none}
        .log li{padding:2px 0;white-space:pre-wrap}.log .columns{white-space:pre}
        """
}

/// The look of `report.html`: calm, light and dark, one colour for each fate. The fates' colours differ
/// in lightness as well as in hue (after Okabe and Ito), and every one of them is labelled in place.
enum Stylesheet {
    package static let text: StaticString = """
        :root{color-scheme:light dark;--paper:#fcfbf9;--card:#fff;--ink:#1c2126;--quiet:#5f6872;
        --rule:#e4e1da;
        --delivered:#1f6fa3;--pending:#84b9dc;--suppressed:#969ba3;--evicted:#d99a00;--rejected:#cc5016;
        --lost:#a12a72;
        --good:#1b7a55;--bad:#bd3b12;--warn:#9a6a00;--shade:#d99a00;--heat:#0d4a75;
        --edge:#0003}
        @media(prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1b1f23;--ink:#e7e7e3;
        --quiet:#9aa3ad;--rule:#2d3339;
        --delivered:#5aa9dd;--pending:#a9d6f3;--suppressed:#737b86;--evicted:#f0b93a;--rejected:#f07f45;
        --lost:#dc74b2;
        --good:#5cc79a;--bad:#f58a60;--warn:#e8bb55;--shade:#f0b93a;--heat:#8fd0ff;--edge:#fff4}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
        body{margin:0;background:var(--paper);color:var(--ink);line-height:1.5;font-size:16px;
        font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",
        "Liberation Sans",sans-serif;
        font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
        main,header,footer{max-width:1040px;margin:0 auto;padding:0 20px}
        header{padding-top:44px}
        .eyebrow{font-size:13px;letter-spacing:.04em;color:var(--quiet);margin:0 0 4px}
        .pace{margin:0 0 22px;padding:11px 16px;border:1px solid var(--warn);border-left-width:6px;
        border-radius:10px;background:var(--card)}
        h1{font-size:34px;line-height:1.15;font-weight:650;letter-spacing:-.015em;margin:0}
        .lead{color:var(--quiet);margin:8px 0 0;max-width:46em}
        h2{font-size:21px;font-weight:650;letter-spacing:-.01em;margin:0 0 4px}
        h3,h4,h2.small{font-size:15px;font-weight:650;letter-spacing:0;margin:26px 0 8px}
        section{padding:38px 0 0}
        section>p{margin:0 0 14px;color:var(--quiet);max-width:52em}
        .verdict{margin:26px 0 0;padding:18px 22px;background:var(--card);border:1px solid var(--rule);
        border-left:6px solid var(--tone);border-radius:10px}
        .passed{--tone:var(--good)}.failed{--tone:var(--bad)}.invalid{--tone:var(--warn)}
        .interrupted{--tone:var(--quiet)}
        .verdict .word{display:flex;align-items:center;gap:9px;margin:0;font-weight:700;color:var(--tone);
        font-size:15px}
        .verdict .word svg{width:20px;height:20px;flex:none}
        .verdict .word path{fill:none;stroke:var(--card);stroke-width:2.4;stroke-linecap:round;
        stroke-linejoin:round}
        .verdict .word circle{fill:var(--tone)}
        .verdict .why{margin:6px 0 0;font-size:20px;line-height:1.35;font-weight:550;letter-spacing:-.005em}
        .verdict ul{margin:10px 0 0;padding-left:20px;color:var(--quiet)}
        .tiles{display:flex;flex-wrap:wrap;gap:1px;margin:22px 0 0;
        background:var(--rule);border:1px solid var(--rule);border-radius:10px;overflow:hidden}
        .tiles div{background:var(--card);padding:13px 16px;flex:1 1 150px}
        .tiles dt{font-size:13px;color:var(--quiet)}
        .tiles dd{margin:1px 0 0;font-size:22px;font-weight:620;letter-spacing:-.01em;white-space:nowrap}
        .tiles small{display:block;font-size:12.5px;font-weight:400;letter-spacing:0;color:var(--quiet);
        white-space:normal}
        .facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));gap:10px 28px;
        margin:14px 0 0}
        .facts dt{font-size:13px;color:var(--quiet)}.facts dd{margin:0}
        .panel{background:var(--card);border:1px solid var(--rule);border-radius:10px;
        padding:18px 20px 12px;margin:12px 0 0}
        .panel>.scroll:first-child{margin-top:-6px}
        figure{margin:0;background:var(--card);border:1px solid var(--rule);border-radius:10px;
        padding:14px 16px 10px;min-width:0}
        figcaption{font-weight:620;font-size:15px;margin:0 0 8px}
        .charts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}
        .compact{display:none}
        svg{display:block;width:100%;height:auto}
        svg text{font-size:12.5px;fill:var(--ink);font-family:inherit}
        .below{margin-top:16px}
        .answer pre{margin-top:2px}.answer p{margin:8px 0 0;font-size:13px}
        .narrow{display:none}
        .strong{font-weight:650}.quiet{fill:var(--quiet);color:var(--quiet)}
        .flow text{font-size:13.5px}.flow .strong{font-size:14.5px}
        .flow .leaf{font-size:13px}
        .ribbon{opacity:.3}
        .captured{fill:var(--ink)}
        rect.delivered,path.delivered{fill:var(--delivered)}rect.pending,path.pending{fill:var(--pending)}
        rect.suppressed,path.suppressed{fill:var(--suppressed)}
        rect.evicted,path.evicted{fill:var(--evicted)}
        rect.rejected,path.rejected{fill:var(--rejected)}rect.lost,path.lost{fill:var(--lost)}
        .chart .grid{stroke:var(--rule);stroke-width:1}
        .chart .axis{fill:var(--quiet);font-size:12px}.chart .legend{font-size:12.5px}
        .chart .note{font-size:11.5px;fill:var(--warn);stroke:var(--card);stroke-width:3px;
        stroke-linejoin:round;paint-order:stroke}
        .end{text-anchor:end}.middle{text-anchor:middle}
        .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
        .a{--c:var(--delivered)}.b{--c:var(--evicted)}.c{--c:var(--lost)}.g{--c:var(--suppressed)}
        .d{--c:var(--rejected)}.e{--c:var(--pending)}
        .b{stroke-dasharray:7 4}.c{stroke-dasharray:2 4}.g{stroke-width:1.6}.d{stroke-dasharray:9 3 2 3}
        .band{fill:var(--c);fill-opacity:.17;stroke:var(--c);stroke-opacity:.4;stroke-width:.7;
        stroke-dasharray:none}
        .heat{fill:var(--heat)}.h1{fill-opacity:.16}.h2{fill-opacity:.32}.h3{fill-opacity:.5}
        .h4{fill-opacity:.66}.h5{fill-opacity:.83}.heat:hover{stroke:var(--ink);stroke-width:1}
        .mark{fill:var(--shade);opacity:.16}.edge{stroke:var(--shade);stroke-width:1;stroke-dasharray:3 3}
        .hover{fill:var(--ink);opacity:0}.hover:hover{opacity:.1}
        .p-time{--c:var(--delivered)}.p-fresh{--c:var(--evicted)}
        .span{stroke:var(--c);stroke-width:1.5;opacity:.6}.core{stroke:var(--c);stroke-width:7;
        stroke-linecap:round;opacity:.5}
        .tick{stroke:var(--c);stroke-width:2.5}.dot{fill:var(--c);stroke:var(--card);stroke-width:1.5;
        stroke-dasharray:none}
        .key{display:flex;flex-wrap:wrap;gap:2px 20px;margin:0;padding:0;list-style:none;
        color:var(--quiet);font-size:14px}
        .swatch{display:inline-block;width:22px;height:10px;vertical-align:baseline;margin-right:7px}
        .bar{width:100%;min-width:90px;height:12px}.bar .rest{fill:var(--rule)}
        .scroll{overflow-x:auto;margin:6px 0 4px;background-color:var(--card);
        background-image:linear-gradient(90deg,var(--card) 40%,transparent),
        linear-gradient(270deg,var(--card) 40%,transparent),
        linear-gradient(90deg,transparent 1px,var(--edge) 2px,transparent),
        linear-gradient(270deg,transparent 1px,var(--edge) 2px,transparent);
        background-position:-2px -2px,calc(100% + 2px) -2px,0 0,100% 0;
        background-size:44px calc(100% + 4px),44px calc(100% + 4px),12px 100%,12px 100%;
        background-attachment:local,local,scroll,scroll;background-repeat:no-repeat}
        .scroll:focus-visible,summary:focus-visible{outline:2px solid var(--delivered);outline-offset:2px}
        table{border-collapse:collapse;width:100%;font-size:14px}
        caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
        white-space:nowrap}
        th,td{padding:6px 10px;border-bottom:1px solid var(--rule);text-align:left;vertical-align:baseline;
        overflow-wrap:break-word}
        th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}
        thead th{overflow-wrap:normal;font-weight:500;font-size:13px;color:var(--quiet)}
        tbody th{font-weight:500;min-width:9.5em}
        .n{text-align:right;white-space:nowrap;overflow-wrap:normal}th.n{white-space:normal}
        tbody tr:last-child>*{border-bottom:0}
        td code{white-space:nowrap}
        .ok{color:var(--good);font-weight:620;white-space:nowrap}.no{color:var(--bad);font-weight:620;
        white-space:nowrap}
        tr.sub th{padding-left:18px;font-weight:400;color:var(--quiet)}
        details{margin:10px 0 4px}
        summary{cursor:pointer;color:var(--quiet);font-size:13.5px;width:max-content;max-width:100%}
        .closeup summary{font-size:14.5px}.closeup b{color:var(--warn);margin-right:7px}
        .closeup .charts{margin-top:10px}
        .marks{margin:0 0 14px;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:4px 22px;
        font-size:14px}
        .marks b{color:var(--warn);font-weight:650;margin-right:5px}
        .notes{margin:10px 0 0;padding-left:20px}
        code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;
        font-size:13.5px}
        pre{margin:10px 0 0;padding:13px 16px;background:var(--card);border:1px solid var(--rule);
        border-radius:10px;
        white-space:pre-wrap;overflow-wrap:anywhere}
        footer{padding:44px 20px 40px;color:var(--quiet);font-size:13px}
        @media(max-width:1040px){.tiles div{flex-basis:30%}}
        @media(max-width:900px){.charts{grid-template-columns:minmax(0,1fr)}figure>svg{max-width:600px}}
        @media(max-width:520px){svg.roomy{display:none}svg.compact{display:block}}
        @media(max-width:760px){
        main,header,footer{padding-left:16px;padding-right:16px}header{padding-top:26px}
        h1{font-size:27px}.verdict{padding:15px 16px}.verdict .why{font-size:18px}
        .tiles div{flex-basis:40%}.tiles dd{font-size:20px}
        .panel,figure{padding:14px 12px 8px}
        svg.wide{display:none}svg.narrow{display:block}
        td.w{min-width:7em}
        tbody th{min-width:6em}
        .many::before{content:"more columns to the right: scroll →";position:sticky;left:0;
        display:inline-block;padding:0 0 4px;font-size:12.5px;color:var(--quiet)}
        .facts{grid-template-columns:1fr}
        th,td{padding:6px 8px}}
        @keyframes more{from,to{font-size:12.5px;padding:0 0 4px}}
        @supports(animation-timeline:scroll()){.many::before{display:block;width:max-content;font-size:0;
        padding:0;animation:more linear;animation-timeline:scroll(nearest inline)}}
        @media print{body{background:#fff}.panel,figure,.verdict{break-inside:avoid}.hover{display:none}
        .scroll{overflow:visible;background:none}.many::before{display:none}
        table{font-size:10px}thead th{font-size:9.5px}th,td{padding:3px 5px}tbody th{min-width:0}
        td.w{min-width:0}.n,.ok,.no,td code{white-space:normal}
        .many thead th{writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;vertical-align:top}
        .many td{overflow-wrap:normal;padding:3px;font-size:9px}.many td code{font-size:9px}}
        """
}

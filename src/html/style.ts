import { rawText } from './markup.ts';

/**
 * Two palettes with at least 4.5:1 between text and ground; a state always has a glyph and a word as well as its
 * colour.
 */
export const style = rawText`
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--ink:#1b2129;--soft:#56606d;--line:#d9dee5;--code:#f0f2f5;
--accent:#0b5cad;--blocked:#b3261e;--blocked-bg:#fdecea;--waiting:#7a4b00;--waiting-bg:#fff4dc;--passed:#1a6b3c;--passed-bg:#e6f4ea;
--unknown:#6b3fa0;--unknown-bg:#f3ecfb;--bar:#5b8fc9;--open:#d9992b;--hatch:#c3cad3}
@media (prefers-color-scheme:dark){:root{--ground:#12161b;--card:#1a2027;--ink:#e6eaf0;--soft:#a3adba;--line:#323b46;--code:#232b34;
--accent:#7db8f5;--blocked:#ff9a90;--blocked-bg:#40211f;--waiting:#f0c271;--waiting-bg:#3a2e17;--passed:#7fd6a0;--passed-bg:#1a3325;
--unknown:#cbaaf2;--unknown-bg:#302542;--bar:#5f95d1;--open:#c98f2d;--hatch:#46515e}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,footer{max-width:74rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.75rem}
footer{padding-bottom:2.5rem;color:var(--soft);font-size:.86rem}
h1{font-size:1.6rem;line-height:1.25;margin:.1rem 0 .5rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:0 0 .75rem}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
h4{font-size:.78rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.35rem 0 .45rem}
p{margin:.35rem 0;max-width:68rem;overflow-wrap:anywhere}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.4rem .8rem;z-index:2}
.kicker{margin:0;color:var(--soft);font-size:.86rem}
.headline{font-size:1.1rem}
.live{max-width:74rem;margin:0 auto;padding:.6rem 1.25rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.5rem;justify-content:space-between;align-items:baseline;font-size:.92rem}
.live ul{display:flex;flex-wrap:wrap;gap:.2rem .4rem;list-style:none;margin:0;padding:0}
.live a{display:inline-block;padding:.25rem .55rem;border-radius:.45rem}
.live a[hidden]{display:none}
.live a[aria-current]{background:var(--card);border:1px solid var(--line);color:var(--ink);text-decoration:none;font-weight:650}
.live p{margin:0}
.live [role=status]{font-weight:650}
.live[data-state=live] [role=status]{color:var(--passed)}.live:is([data-state=stale],[data-state=lost],[data-state=behind],[data-state=paused]) [role=status]{color:var(--unknown)}
.clock{color:var(--soft)}
.live:is([data-state=lost],[data-state=behind],[data-state=paused])~header .headline>.mark{display:none}
.live:is([data-state=lost],[data-state=behind],[data-state=paused])~header .headline::before{content:"? Not known now. When last checked: ";color:var(--unknown);font-weight:650}
.notice.lost{max-width:71.5rem;margin:.6rem auto 0;padding:.5rem .9rem;background:var(--unknown-bg);color:var(--ink)}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:.6rem 0 0;font-size:.88rem}
.facts div{display:flex;gap:.4rem;min-width:0}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
.totals{display:flex;flex-wrap:wrap;gap:.6rem;list-style:none;margin:1.1rem 0 0;padding:0}
.totals li{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.5rem .9rem;min-width:7.5rem}
.totals b{display:block;font-size:1.5rem;line-height:1.2;font-variant-numeric:tabular-nums}
section,.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.1rem 1.25rem;margin:1.1rem 0}
section section,section .card{margin:.8rem 0}
.mark{white-space:nowrap;font-weight:600}
.blocked{color:var(--blocked)}.waiting{color:var(--waiting)}.passed{color:var(--passed)}.unknown{color:var(--unknown)}.faint{color:var(--soft)}
.chip{display:inline-block;border-radius:1rem;padding:.05rem .6rem;font-size:.82rem;font-weight:600;white-space:nowrap}
.chip.blocked{background:var(--blocked-bg)}.chip.waiting{background:var(--waiting-bg)}.chip.passed{background:var(--passed-bg)}
.chip.unknown{background:var(--unknown-bg)}.chip.faint{background:var(--code)}
.tools{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:1.3rem 0 0}
.tools[hidden],[hidden]{display:none}
.tools input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.45rem;padding:.35rem .6rem;width:min(22rem,100%)}
button{font:inherit;font-size:.85rem;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.45rem;padding:.3rem .7rem;cursor:pointer}
button:hover{border-color:var(--accent);color:var(--accent)}
details>summary{cursor:pointer;display:flex;flex-wrap:wrap;gap:.3rem .7rem;align-items:baseline;list-style:none}
details>summary::-webkit-details-marker{display:none}
details>summary::before{content:"\25b8";color:var(--soft);width:.8rem;flex:none}
details[open]>summary::before{content:"\25be"}
details.card>.lead{margin-top:.7rem;font-size:1.04rem}
.note{color:var(--soft);font-size:.88rem}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-size:.92rem}
caption{text-align:left;color:var(--soft);font-size:.86rem;padding-bottom:.4rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--line)}
tr:last-child>*{border-bottom:0}
thead th{color:var(--soft);font-weight:600;font-size:.82rem;white-space:nowrap}
tbody th{font-weight:600}
tbody th code{white-space:nowrap}
td{overflow-wrap:break-word}
td.num,th.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.name{overflow-wrap:anywhere;min-width:11rem;max-width:26rem}
.key{white-space:nowrap}
.w{display:inline-block;max-width:100%;overflow-wrap:anywhere}
code,pre,.said{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{overflow-wrap:anywhere}
pre{background:var(--code);border-radius:.45rem;padding:.55rem .8rem;margin:.4rem 0;overflow-x:auto;white-space:pre}
.command{display:flex;gap:.5rem;align-items:flex-start;margin:.4rem 0}
.command pre{flex:1;min-width:0;margin:0}
.command button{flex:none;min-width:4.6rem;margin-top:.15rem}
.journey{list-style:none;display:flex;margin:1rem 0 .3rem;padding:0}
.journey li{flex:1 1 0;min-width:0;padding:0 .7rem 0 0;position:relative;font-size:.85rem}
.journey li::before{content:"";position:absolute;top:.84rem;left:1.7rem;right:0;border-top:2px solid var(--line)}
.journey li:last-child::before{display:none}
.journey li.unreached::before,.journey li.faint::before{border-top-style:dashed}
.journey li.short{flex:.55 1 0}
.journey .dot{position:relative;display:grid;place-items:center;width:1.7rem;height:1.7rem;border-radius:50%;border:2px solid currentColor;background:var(--card);font-weight:700;font-size:.85rem}
.journey .dot.blocked{background:var(--blocked-bg)}.journey .dot.passed{background:var(--passed-bg)}
.journey .dot.waiting{background:var(--waiting-bg)}.journey .dot.unknown{background:var(--unknown-bg)}
.journey .stage{display:block;font-weight:650;margin-top:.35rem}
.journey .said,.journey .what{display:block;overflow-wrap:anywhere}
.journey .broken{display:inline-block;margin:.15rem 0;padding:0 .45rem;border-radius:.3rem;background:var(--blocked);color:var(--card);font-weight:700;white-space:nowrap}
.evidence{margin:0;font-size:.92rem}
.evidence div{display:grid;grid-template-columns:minmax(9rem,17rem) 1fr;gap:0 1rem;padding:.3rem 0;border-bottom:1px solid var(--line)}
.evidence div:last-child{border-bottom:0}
.evidence dt{font-weight:600;overflow-wrap:anywhere}
.evidence dd{margin:0;overflow-wrap:anywhere}
ol.fixes{margin:.2rem 0;padding-left:1.4rem}
ol.fixes>li{margin:.55rem 0}
ol.fixes>li::marker{font-weight:700}
.chain{list-style:none;margin:0;padding:0}
.chain li{display:grid;grid-template-columns:8.5rem 7.5rem 1fr;gap:0 .8rem;padding:.32rem 0;border-bottom:1px solid var(--line)}
.chain li:last-child{border-bottom:0}
.chain li.broken{background:var(--blocked-bg);margin:0 -.6rem;padding:.45rem .6rem;border-radius:.45rem}
.lanes{display:grid;grid-template-columns:minmax(7rem,14rem) 1fr;gap:.2rem .8rem;align-items:center;font-size:.85rem;margin:.6rem 0}
.lanes svg{width:100%;height:22px;overflow:visible;display:block}
.lanes .axis{display:flex;justify-content:space-between;color:var(--soft);font-variant-numeric:tabular-nums;border-top:1px solid var(--soft);padding-top:.15rem}
.lanes .lane{overflow-wrap:anywhere;line-height:1.25}
.track{stroke:var(--line);stroke-width:2}
.gap{fill:var(--hatch);opacity:.45}
.span{fill:var(--bar)}.span.open{fill:var(--open)}.span.idle{fill:var(--hatch)}
.tick{fill:var(--accent)}
.cross{fill:var(--blocked);font:700 15px/1 system-ui,sans-serif;text-anchor:middle}
.share{width:9rem;height:12px;display:block}
td.said,.quote{color:var(--soft)}
.notice{border-left:5px solid var(--unknown)}
@media (max-width:46rem){
header,main,footer,.live{padding-left:.8rem;padding-right:.8rem}
section,.card{padding:.9rem .85rem}
h1{font-size:1.3rem}
.totals li{flex:1 1 40%;min-width:0}
.mark{white-space:normal}
.journey{display:block}
.journey li{padding:0 0 .7rem 2.4rem;min-height:2.3rem}
.journey .dot{position:absolute;left:0;top:0}
.journey .stage{margin:0;padding-top:.12rem}
.journey li::before{top:1.7rem;left:.82rem;bottom:0;right:auto;border-top:0;border-left:2px solid var(--line)}
.journey li.faint::before{border-left-style:dashed}
.evidence div{display:block}
.chain li{grid-template-columns:1fr auto}
.chain li>:last-child{grid-column:1/-1}
.lanes{grid-template-columns:1fr}
.lanes .lane{margin-top:.35rem}
td,th,.note,.quote{overflow-wrap:anywhere}
tbody th code{white-space:normal}
.name{max-width:none}
.command{flex-direction:column}
.command pre{align-self:stretch}
table.cards caption{display:block}
table.cards thead{position:absolute;clip-path:inset(50%)}
table.cards,table.cards tbody,table.cards tr,table.cards th,table.cards td{display:block;border:0;padding:.05rem 0;white-space:normal;text-align:left}
table.cards tr{border-bottom:1px solid var(--line);padding:.5rem 0}
table.cards tr:last-child{border-bottom:0}
table.cards td[data-title]::before{content:attr(data-title) " ";color:var(--soft);font-size:.82rem}
.share{display:none}
}
@media print{
:root{color-scheme:light;--ground:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--code:#f2f2f2;--accent:#000;--blocked:#8c1d18;--blocked-bg:#fff;
--waiting:#5c3900;--waiting-bg:#fff;--passed:#14532d;--passed-bg:#fff;--unknown:#4c2a78;--unknown-bg:#fff}
body{font-size:10.5pt}
header,main,footer{max-width:none;padding:0}
.tools,button,.skip,.live{display:none!important}
section,.card{border-color:#999;padding:.7rem .8rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
li,tr,.evidence div{break-inside:avoid}
h2,h3,h4,summary{break-after:avoid}
details::details-content{content-visibility:visible;height:auto}
}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
`;

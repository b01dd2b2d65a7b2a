import type { ReactElement } from 'react';
import { displayWidth } from '../../terminal/wrap.ts';
import { cutStart, plainSpans } from '../spans.ts';
import type { Span } from '../spans.ts';
import type { TuiTheme } from '../theme.ts';
import type { HeaderModel, Word } from '../view-models/header.ts';
import { Line } from './line.tsx';
import { useTheme } from './theme-context.ts';

const title: Span = { text: 'kubectl csi', style: 'strong' };
const gap: Span = { text: '  ' };
/** Of a context at least this much is shown. */
const leastContext = 8;
/** With less room than this for a longer context, the name of the program is left out. */
const enoughContext = 20;

/** Which cluster, which namespace, how fresh, and how bad. */
export function Header({ header, width }: { readonly header: HeaderModel; readonly width: number }): ReactElement {
  const theme = useTheme();
  const { context, known } = header;
  if (known === undefined) return <Line spans={[title, gap, { text: context }]} width={width} />;
  const right = known.counts.flatMap((word, index) => [...(index === 0 ? [] : [gap]), wordSpan(word, theme)]);
  const state = [{ text: `${known.namespace}  ` }, wordSpan(known.freshness, theme)];
  const left = [...clusterSpans(context, width - widthOf(state) - widthOf(right) - 6, theme), gap, ...state];
  const between = ' '.repeat(Math.max(2, width - widthOf(left) - widthOf(right)));
  return <Line spans={[...left, { text: between }, ...right]} width={width} />;
}

/** The program may be known; which cluster it is must be seen. */
function clusterSpans(context: string, width: number, { ellipsis }: TuiTheme): Span[] {
  const room = width - displayWidth(title.text);
  if (room >= Math.min(enoughContext, displayWidth(context)))
    return [title, gap, { text: cutStart(context, Math.max(leastContext, room), ellipsis) }];
  return [{ text: cutStart(context, Math.max(leastContext, width + 2), ellipsis) }];
}

function wordSpan({ text, style, glyph }: Word, theme: TuiTheme): Span {
  return { text: glyph === undefined ? text : `${theme.glyph[glyph]} ${text}`, style };
}

function widthOf(spans: readonly Span[]): number {
  return displayWidth(plainSpans(spans));
}

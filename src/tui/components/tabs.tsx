import type { ReactElement } from 'react';
import { displayWidth } from '../../terminal/wrap.ts';
import { plainSpans } from '../spans.ts';
import type { Span } from '../spans.ts';
import type { Choice, Navigation } from '../view-models/navigation.ts';
import { Line } from './line.tsx';

interface TabsProps {
  readonly navigation: Navigation;
  readonly width: number;
}

/** The tabs; in an object, the way to it and its panes; in a chooser, what is chosen. */
export function Tabs({ navigation, width }: TabsProps): ReactElement {
  switch (navigation.type) {
    case 'tabs':
      return <Line spans={fittingSpans(navigation.tabs, width)} width={width} />;
    case 'chooser':
      return <Line spans={[{ text: navigation.title, style: 'strong' }]} width={width} />;
    case 'trail':
      return <Trail {...navigation} width={width} />;
  }
}

type TrailProps = Extract<Navigation, { readonly type: 'trail' }> & { readonly width: number };

function Trail({ from, title, panes, width }: TrailProps): ReactElement {
  const here: Span[] = [
    { text: title, style: 'strong' },
    ...(panes.length === 0 ? [] : [{ text: '  ' }, ...choiceSpans(panes)]),
  ];
  const whole = [{ text: `${from.join(' > ')} > ` }, ...here];
  // Where one is matters more than where one came from.
  return <Line spans={displayWidth(plainSpans(whole)) <= width ? whole : here} width={width} />;
}

function fittingSpans(tabs: readonly Choice[], width: number): Span[] {
  const whole = choiceSpans(tabs);
  if (displayWidth(plainSpans(whole)) <= width) return whole;
  return choiceSpans(tabs.map((tab) => ({ ...tab, label: tab.short ?? tab.label })));
}

/** Brackets mark the current one where there is no colour. */
function choiceSpans(choices: readonly Choice[]): Span[] {
  return choices.flatMap(({ label, isCurrent }, index): Span[] => [
    ...(index === 0 ? [] : [{ text: ' ' }]),
    isCurrent ? { text: `[${label}]`, style: 'strong' } : { text: label },
  ]);
}

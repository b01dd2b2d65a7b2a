import { sanitise } from '../../terminal/sanitise.ts';
import { topView } from '../state/selectors.ts';
import { panes, tabs } from '../state/state.ts';
import type { Chooser, State, Tab, View } from '../state/state.ts';
import { nameAndNamespace } from './stuck-list.ts';

export interface Choice {
  readonly label: string;
  /** Where the full labels have no room. */
  readonly short?: string;
  readonly isCurrent: boolean;
}

/** Where the user is: in one of the tabs, in a view that was opened from one, or in a chooser. */
export type Navigation =
  | { readonly type: 'tabs'; readonly tabs: readonly Choice[] }
  | {
      readonly type: 'trail';
      /** What was gone through, the latest last. */
      readonly from: readonly string[];
      readonly title: string;
      readonly panes: readonly Choice[];
    }
  | { readonly type: 'chooser'; readonly title: string };

const chooserTitles: Readonly<Record<Chooser['purpose'], string>> = {
  namespace: 'Choose a namespace',
  context: 'Choose a context',
  copy: 'Choose the command to copy',
};

/** All tabs fit into 80 columns. */
const shortTabs: Readonly<Partial<Record<Tab, string>>> = { attachments: 'attach', snapshots: 'snap' };

export function navigationOf(state: State): Navigation {
  const { chooser, tab, views } = state;
  if (chooser !== undefined) return { type: 'chooser', title: chooserTitles[chooser.purpose] };
  const view = topView(state);
  if (view === undefined)
    return {
      type: 'tabs',
      tabs: tabs.map((one, index) => ({
        label: `${index + 1} ${one}`,
        short: `${index + 1} ${shortTabs[one] ?? one}`,
        isCurrent: one === tab,
      })),
    };
  const previous = views.at(-2);
  return {
    type: 'trail',
    from: previous === undefined ? [tab] : [tab, titleOf(previous)],
    title: titleOf(view),
    panes: view.type === 'object' ? panes.map((pane) => ({ label: pane, isCurrent: pane === view.pane })) : [],
  };
}

function titleOf(view: View): string {
  switch (view.type) {
    case 'object':
      return nameAndNamespace(view.target);
    case 'cause':
      return sanitise(view.cause);
    case 'probe':
      return `probe of ${sanitise(view.driver)}`;
    case 'log':
      return `log for ${nameAndNamespace(view.target)}`;
    case 'help':
      return 'help';
  }
}

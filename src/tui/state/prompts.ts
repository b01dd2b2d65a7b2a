import { resourceNamed } from '../../core/kube/resources.ts';
import { tabKinds, tabs } from './state.ts';
import type { Prompt, State, Tab } from './state.ts';
import { currentPosition, currentSheet } from '../view-models/current.ts';
import { openChooser, openPlace } from './choosers.ts';
import { found, toTab } from './commands.ts';
import { withPosition } from './position.ts';
import { stay } from './step.ts';
import type { Step } from './step.ts';

/** A key while a line of text is being typed. */
export function typed(state: State, prompt: Prompt, name: string): Step {
  if (name === 'esc') return stay(givenUp(state, prompt));
  if (name === 'enter') return entered({ ...state, prompt: undefined }, prompt);
  if (name === 'backspace' && prompt.text === '') return stay(givenUp(state, prompt));
  const text = edited(prompt.text, name);
  return text === prompt.text ? stay(state) : stay(live({ ...state, prompt: { ...prompt, text } }, text));
}

function edited(text: string, name: string): string {
  if (name === 'backspace') return Array.from(text).slice(0, -1).join('');
  if (name === 'ctrl-u') return '';
  if (name === 'ctrl-w') return text.replace(/\S*\s*$/, '');
  if (name === 'space') return `${text} `;
  return Array.from(name).length === 1 ? text + name : text;
}

/** A list narrows down while one types; a text is searched when the word is complete. */
function live(state: State, text: string): State {
  if (state.prompt?.purpose !== 'wanted' || currentSheet(state).pickAt === undefined) return state;
  return withPosition(state, { ...currentPosition(state), wanted: text, cursor: 0, top: 0 });
}

function givenUp(state: State, prompt: Prompt): State {
  const closed = { ...state, prompt: undefined };
  return prompt.purpose === 'wanted' ? withPosition(closed, { ...currentPosition(closed), wanted: '' }) : closed;
}

function entered(state: State, { purpose, text }: Prompt): Step {
  if (purpose === 'capture')
    return {
      state: { ...state, remark: { text: 'saving', isTrouble: false } },
      orders: [{ type: 'capture', path: text.trim() }],
    };
  if (purpose === 'command') return obeyed(state, text.trim());
  const position = currentPosition(state);
  const next = withPosition(state, { ...position, wanted: text });
  if (currentSheet(state).pickAt !== undefined || text === '') return stay(next);
  return stay(found(withPosition(next, { ...position, wanted: text, cursor: position.top - 1 }), 1));
}

/** `:ns shop`, `:ctx prod`, `:claims`, `:q`. */
function obeyed(state: State, line: string): Step {
  const [word = '', argument] = line.split(/\s+/);
  if (word === '') return stay(state);
  if (word === 'q' || word === 'q!' || word === 'quit') return { state, orders: [{ type: 'quit', how: 'quit' }] };
  if (word === 'ns' || word === 'namespace')
    return argument === undefined
      ? stay(openChooser(state, 'namespace'))
      : openPlace(state, { ...state.place, namespace: argument === 'all' || argument === '-A' ? undefined : argument });
  if (word === 'ctx' || word === 'context')
    return argument === undefined ? stay(openChooser(state, 'context')) : openPlace(state, { context: argument });
  const tab = tabNamed(word);
  return stay(
    tab === undefined
      ? {
          ...state,
          remark: {
            text: `there is no command :${word}; those there are: :ns, :ctx, :q, ${tabs.map((one) => `:${one}`).join(', ')}`,
            isTrouble: true,
          },
        }
      : toTab(state, tab),
  );
}

/** By its own name, or by what kubectl calls its kind. */
function tabNamed(word: string): Tab | undefined {
  const kind = resourceNamed(word)?.kind;
  if (kind === 'CSIDriver' || kind === 'CSINode' || kind === 'Node') return 'drivers';
  if (kind === 'Event') return 'timeline';
  return tabs.find((tab) => tab === word) ?? tabs.find((tab) => kind !== undefined && tabKinds[tab] === kind);
}

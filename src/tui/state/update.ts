import { commandOf } from '../keys.ts';
import { currentSheet, questionedDriver, topView } from '../view-models/current.ts';
import { obey } from './commands.ts';
import { typed } from './prompts.ts';
import { chosen } from './choosers.ts';
import { wantKey } from './state.ts';
import type { Answer, State, Want } from './state.ts';
import { stay } from './step.ts';
import type { Happened, Step } from './step.ts';

/** The next state of the screen, and what is to be done besides. */
export function update(state: State, happened: Happened): Step {
  switch (happened.type) {
    case 'key':
      return pressed({ ...state, remark: undefined }, happened.name);
    case 'resized':
      return stay({ ...state, size: { columns: happened.columns, rows: happened.rows } });
    case 'frame':
      return stay({ ...state, frame: happened.frame, frames: state.frames + 1, failure: undefined });
    case 'failed':
      return stay({ ...state, failure: happened.trouble });
    case 'answered':
      return stay(withAnswer(state, happened.want, { value: happened.value, hasValue: true, frame: happened.frame }));
    case 'unanswered': {
      const known = state.answers.get(wantKey(happened.want));
      return stay(
        withAnswer(state, happened.want, {
          ...(known ?? { hasValue: false }),
          trouble: happened.trouble,
          frame: happened.frame,
        }),
      );
    }
    case 'said':
      return stay({ ...state, remark: { text: happened.text, isTrouble: happened.isTrouble } });
  }
}

/** Of what was looked at long ago nobody needs to remember the answer. */
const mostAnswers = 100;

function withAnswer(state: State, want: Want, answer: Answer): State {
  const key = wantKey(want);
  const others = [...state.answers].filter(([other]) => other !== key).slice(1 - mostAnswers);
  return { ...state, answers: new Map([...others, [key, answer]]) };
}

function pressed(state: State, name: string): Step {
  if (name === 'ctrl-c') return { state, orders: [{ type: 'quit', how: 'interrupted' }] };
  if (state.question !== undefined) return decided(state, name);
  if (state.prompt !== undefined) return typed(state, state.prompt, name);
  if (state.chooser !== undefined) return chosen(state, state.chooser, name);
  const command = commandOf(name, currentSheet(state).pickAt === undefined ? 'text' : 'list');
  return command === undefined ? stay(state) : obey(state, command);
}

/** Anything but a clear yes is a no. */
function decided(state: State, name: string): Step {
  const closed = { ...state, question: undefined };
  const { driver } = questionedDriver(state);
  if ((name !== 'y' && name !== 'e') || driver === undefined)
    return stay({ ...closed, remark: { text: 'nothing was probed', isTrouble: false } });
  const exec = name === 'e';
  const below = topView(closed)?.type === 'probe' ? closed.views.slice(0, -1) : closed.views;
  const answers = new Map(state.answers);
  answers.delete(wantKey({ type: 'probe', driver, exec }));
  return stay({
    ...closed,
    answers,
    views: [...below, { type: 'probe', driver, exec, position: { cursor: 0, top: 0, left: 0, wanted: '' } }],
  });
}

import type { ObjectRef } from '../../core/report/report.ts';
import type { Frame, Place } from '../ports.ts';
import type { Answered } from './answers.ts';
import type { Chooser, Pane, Position, Prompt, Question, Remark, Sort, Tab, View } from './state.ts';

/** What arrives from the cluster. */
type News =
  | { readonly type: 'frame'; readonly frame: Frame; readonly receivedAt: number }
  | { readonly type: 'failed'; readonly trouble: string }
  | { readonly type: 'answered'; readonly answered: Answered };

/** Effects beyond the screen: the session carries them out, in addition to the change of state. */
export type Effect =
  | { readonly type: 'quit'; readonly how: 'quit' | 'interrupted' }
  | { readonly type: 'openPlace'; readonly place: Place }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'capture'; readonly path: string };

/** What a key does, as data: the lines and the object under the cursor were determined before. */
export type Action =
  | News
  | Effect
  | { readonly type: 'remark'; readonly remark: Remark | undefined }
  | { readonly type: 'showTab'; readonly tab: Tab }
  | { readonly type: 'showPane'; readonly pane: Pane }
  | { readonly type: 'openView'; readonly view: View }
  | { readonly type: 'goBack' }
  | { readonly type: 'moveTo'; readonly position: Position }
  | { readonly type: 'toggleFold'; readonly fold: string }
  | { readonly type: 'toggleWide' }
  | { readonly type: 'sort'; readonly sort: Sort }
  | { readonly type: 'prompt'; readonly prompt: Prompt | undefined }
  | { readonly type: 'chooser'; readonly chooser: Chooser | undefined }
  | { readonly type: 'question'; readonly question: Question | undefined }
  | { readonly type: 'probe'; readonly driver: string; readonly exec: boolean }
  | { readonly type: 'log'; readonly target: ObjectRef };

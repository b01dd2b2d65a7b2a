import { bareExitText } from '../senses/exit-codes.ts';
import { mountFailedTexts } from '../senses/file-system.ts';
import { mountOptionTexts } from '../senses/request.ts';
import type { PatternedMountSense } from './sense.ts';

export const mountOption: PatternedMountSense = {
  id: 'options',
  pattern: mountOptionTexts,
  meaning: 'An option or attribute of the volume is refused.',
};

export const bareExit: PatternedMountSense = {
  id: 'exit',
  pattern: bareExitText,
  meaning: 'A program that the driver started has failed; the text names neither the program nor the reason.',
};

export const mountFailed: PatternedMountSense = {
  id: 'mountFailed',
  pattern: mountFailedTexts,
  meaning: 'The mount failed on the node; this text does not say why.',
};

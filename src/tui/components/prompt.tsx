import type { ReactElement } from 'react';
import { cutStart } from '../spans.ts';
import { Line } from './line.tsx';
import { useTheme } from './theme-context.ts';

interface PromptProps {
  readonly label: string;
  readonly text: string;
  readonly width: number;
}

/** A line that is being typed; of a long one the end is shown. */
export function Prompt({ label, text, width }: PromptProps): ReactElement {
  const { ellipsis } = useTheme();
  return <Line spans={[{ text: cutStart(`${label}${text}_`, width, ellipsis) }]} width={width} />;
}

import type { ReactElement } from 'react';
import { displayWidth } from '../../terminal/wrap.ts';
import { fitText } from '../spans.ts';
import type { FooterModel } from '../view-models/footer.ts';
import { Line } from './line.tsx';
import { Prompt } from './prompt.tsx';
import { useTheme } from './theme-context.ts';

interface FooterProps {
  readonly footer: FooterModel;
  readonly width: number;
}

/** The last line: a question, what is being typed, a message, or the keys that are likely to be wanted. */
export function Footer({ footer, width }: FooterProps): ReactElement {
  const { ellipsis, glyph } = useTheme();
  switch (footer.type) {
    case 'question':
      return <Line spans={[{ text: footer.text, style: 'strong' }]} width={width} />;
    case 'prompt':
      return <Prompt label={footer.label} text={footer.text} width={width} />;
    case 'remark':
      if (!footer.isTrouble) return <Line spans={[{ text: footer.text }]} width={width} />;
      return <Line spans={[{ text: `${glyph.blocked} ${footer.text}`, style: 'blocked' }]} width={width} />;
    case 'hints': {
      const room = width - displayWidth(footer.whereabouts) - 2;
      const hints = fitText(footer.hints, room, ellipsis);
      return <Line spans={[{ text: `${hints}  ${footer.whereabouts}` }]} width={width} />;
    }
  }
}

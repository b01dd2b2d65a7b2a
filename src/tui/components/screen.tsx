import { Box } from 'ink';
import type { ReactElement } from 'react';
import { fitText } from '../spans.ts';
import type { Division } from '../view-models/division.ts';
import type { Body, Screen } from '../view-models/screen.ts';
import { Footer } from './footer.tsx';
import { Header } from './header.tsx';
import { Line } from './line.tsx';
import { List } from './list.tsx';
import { Pane } from './pane.tsx';
import { SidePane } from './side-pane.tsx';
import { Table } from './table.tsx';
import { Tabs } from './tabs.tsx';
import { useTheme } from './theme-context.ts';

/** The whole screen. */
export function ScreenView({ screen }: { readonly screen: Screen }): ReactElement {
  const { viewport, division, header, trouble, navigation, body, beside, strip, footer } = screen;
  const { columns, rows } = viewport;
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Header header={header} width={columns} />
      {trouble !== undefined && <Banner text={trouble} width={columns} />}
      <Tabs navigation={navigation} width={columns} />
      <Box flexShrink={0}>
        <BodyView body={body} division={division} />
        {beside !== undefined && <SidePane {...beside} width={division.beside} height={division.height} />}
      </Box>
      {strip !== undefined && <Strip lines={strip} width={columns} height={division.strip} />}
      <Footer footer={footer} width={columns} />
    </Box>
  );
}

function BodyView({ body, division }: { readonly body: Body; readonly division: Division }): ReactElement {
  const { width, height } = division;
  const { titles, ...list } = body;
  if (body.type === 'text')
    return <Pane rows={body.rows} found={body.wanted} empty={body.empty} {...{ width, height }} />;
  if (titles === undefined) return <List {...list} width={width} height={height} />;
  return <Table {...list} titles={titles} width={width} height={height} />;
}

/** What must not be overlooked. */
function Banner({ text, width }: { readonly text: string; readonly width: number }): ReactElement {
  const { ellipsis } = useTheme();
  return <Line spans={[{ text: fitText(text, width, ellipsis), style: 'reversed' }]} width={width} />;
}

interface StripProps {
  readonly lines: readonly string[];
  readonly width: number;
  /** With the rule above the lines. */
  readonly height: number;
}

/** The sentence about what is under the cursor. */
function Strip({ lines, width, height }: StripProps): ReactElement {
  const { rule } = useTheme();
  return (
    <Box flexDirection="column" flexShrink={0} height={height}>
      <Line spans={[{ text: rule.repeat(width), style: 'faint' }]} width={width} />
      {lines.map((text, index) => (
        <Line key={index} spans={[{ text }]} width={width} />
      ))}
    </Box>
  );
}

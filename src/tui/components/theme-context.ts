import { createContext, use } from 'react';
import { createTuiTheme } from '../theme.ts';
import type { TuiTheme } from '../theme.ts';

/** The theme that all components below it draw with. */
export const ThemeContext = createContext<TuiTheme>(createTuiTheme({ colour: false, ascii: false }));

export function useTheme(): TuiTheme {
  return use(ThemeContext);
}

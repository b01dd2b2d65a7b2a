import type { DefaultTheme } from 'vitepress';
import { manifest } from '../../src/cli/manifest.ts';
import { readSchemas } from './reference.ts';

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Paste an error', link: '/paste' },
  { text: 'Install', link: '/install' },
  { text: 'Tutorial', link: '/tutorial' },
  { text: 'Causes', link: '/causes/', activeMatch: '/causes/' },
  { text: 'Reference', link: '/reference/', activeMatch: '/reference/' },
];

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link });

/** Part of the site that has a sidebar of its own, by its address. Groups are always open: VitePress folds them with nested buttons. */
export function sidebars(): Readonly<Record<string, DefaultTheme.SidebarItem[]>> {
  return {
    '/reference/': [
      { text: 'Commands', items: commands() },
      { text: 'Documents', items: documents() },
    ],
    '/': [
      { text: 'Start', items: start },
      { text: 'Causes', items: causes },
      { text: 'How-to', items: howTo },
      { text: 'Topics', items: topics },
      { text: 'About', items: about },
    ],
  };
}

const start = [
  page('Overview', '/overview'),
  page('Install', '/install'),
  page('Tutorial: ten minutes', '/tutorial'),
  page('Compared with other tools', '/comparison'),
  page('Commands and documents', '/reference/'),
  page('Exit codes', '/exit-codes'),
];
const causes = [
  page('Paste an error', '/paste'),
  page('All causes', '/causes/'),
  page('By message', '/causes/by-message'),
  page('By stage', '/causes/by-stage'),
  page('By driver', '/causes/by-driver'),
];
const howTo = [
  page('On call', '/how-to/on-call'),
  page('CI and deployments', '/how-to/ci'),
  page('Support with a dump', '/how-to/support'),
  page('Driver development', '/how-to/driver-developer'),
  page('Platform team', '/how-to/platform-team'),
];
const topics = [
  page('The demo cluster', '/demo'),
  page('From an error to its cause', '/explain'),
  page('Many clusters', '/contexts'),
  page('Dumps', '/dumps'),
  page('Captures', '/capture'),
  page('Logs', '/logs'),
  page('Probing drivers', '/probe'),
  page('How full volumes are', '/usage'),
  page('CI', '/ci'),
  page('What check checks', '/checks'),
  page('Preflight', '/preflight'),
  page('What-if', '/what-if'),
  page('The interactive screen', '/tui'),
  page('Served as a page and metrics', '/serve'),
  page('For AI agents (MCP)', '/mcp'),
  page('Integrations', '/integrations/'),
  page('Reports as pages', '/html'),
  page('Object storage', '/object-storage'),
  page('Rights', '/rbac'),
  page('Kubeconfig and connections', '/kubeconfig'),
  page('Shell completion', '/completion'),
];
const about = [
  page('Architecture', '/architecture'),
  page('Security', '/security'),
  page('Performance', '/performance'),
  page('Fixes, proven', '/fixes'),
  page('Dependencies', '/dependencies'),
  page('Contributing', '/contributing'),
  page('Releasing', '/releasing'),
  page('Changes', '/changelog'),
];

function commands(): DefaultTheme.SidebarItem[] {
  const each = Object.keys(manifest.commands).map((id) => page(id, `/reference/${id.replaceAll(' ', '-')}`));
  return [page('All commands and documents', '/reference/'), page('Exit codes', '/exit-codes'), ...each];
}

function documents(): DefaultTheme.SidebarItem[] {
  return readSchemas().map(({ name, schema }) => page(schema.title ?? name, `/reference/${name}-json`));
}

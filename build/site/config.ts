import { join } from 'node:path';
import type { DefaultTheme, MarkdownEnv, UserConfig } from 'vitepress';
import { repository } from '../release/project.ts';
import { root } from './cause-facts.ts';
import { nav, sidebars } from './navigation.ts';

/** Where the site is under its host: `/kubectl-csi/` on a Git host's pages. */
const base = process.env['SITE_BASE'] ?? '/';

/** Nothing is loaded from elsewhere and nothing is sent anywhere; VitePress starts with scripts inside of the page. */
const policy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** As GitHub names the headings of a page, so that a link with an anchor works there and here. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** The part of markdown-it that is used: VitePress brings its own version of the types. */
interface Renderer {
  readonly render: (source: string, env: MarkdownEnv) => string;
}

/** A cause is one result of the search, however many of its sections have the words. */
function renderForSearch(source: string, env: MarkdownEnv, markdown: Renderer): string {
  const html = markdown.render(source, env);
  if (env.frontmatter?.['search'] === false) return '';
  return env.frontmatter?.['cause'] === undefined ? html : html.replaceAll(/<(\/?)h[2-6]\b[^>]*>/g, '<$1p>');
}

export const config: UserConfig<DefaultTheme.Config> = {
  base,
  lang: 'en',
  title: 'kubectl csi',
  description: 'Explains why storage is stuck in Kubernetes: root cause, evidence, fix.',
  outDir: join(root, 'site/dist'),
  cacheDir: join(root, 'site/cache'),
  srcExclude: ['public/**'],
  metaChunk: true,
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: policy }],
    ['meta', { name: 'referrer', content: 'no-referrer' }],
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}favicon.svg` }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    headers: { slugify: slugOf },
    toc: { slugify: slugOf },
    config: ({ renderer: { rules } }) => {
      // A heading without words is none, so a screen reader is not sent to it.
      rules.th_open = (tokens, index, options, _env, self) =>
        tokens[index + 1]?.content === '' ? '<td>' : self.renderToken(tokens, index, options);
      rules.th_close = (tokens, index, options, _env, self) =>
        tokens[index - 1]?.content === '' ? '</td>' : self.renderToken(tokens, index, options);
    },
  },
  themeConfig: {
    nav,
    sidebar: sidebars(),
    outline: { level: [2, 3] },
    docFooter: { prev: false, next: false },
    search: { provider: 'local', options: { detailedView: false, _render: renderForSearch } },
    socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Source code' }],
    externalLinkIcon: true,
  },
  vite: {
    server: { host: '127.0.0.1', fs: { allow: [root] } },
    build: { chunkSizeWarningLimit: 4000 },
    // Vite's own esbuild is older than the target of our tsconfig.json.
    esbuild: { tsconfigRaw: { compilerOptions: { target: 'es2022', verbatimModuleSyntax: true } } },
    worker: { format: 'es' },
  },
};

import { describe, expect, it } from 'vitest';
import { html, Markup, rawText } from '../../src/html/markup.ts';
import { hostileText } from '../kit/pages.ts';

describe('markup', () => {
  it('escapes what is inserted, in text and in attributes', () => {
    const { text } = html`<p title="${hostileText}">${hostileText}${3}${undefined}${['<', html`<b>${'&'}</b>`]}</p>`;
    expect(text).not.toMatch(/<(?:img|script|\/)[^p b]/);
    expect(text).toContain('&lt;img src=x onerror=&quot;window.h4x=1&quot;&gt;');
    expect(text.endsWith('3&lt;<b>&amp;</b></p>')).toBe(true);
  });

  it('refuses a value where escaping does not protect', () => {
    const value = 'x';
    // prettier-ignore
    for (const unsafe of [
      () => html`<p title=${value}></p>`,
      () => html`<p ${value}></p>`,
      () => html`<${value}></p>`,
      () => html`<a href="${value}"></a>`,
      () => html`<p onclick="${value}"></p>`,
      () => html`<p style="${value}"></p>`,
      () => html`<script>${value}</script>`,
      () => html`<style>${value}</style>`,
    ])
      expect(unsafe).toThrow('cannot stand after');
  });

  it('takes an anchor of this page as an address', () => {
    expect(html`<a href="#${'c1'}">x</a>`.text).toBe('<a href="#c1">x</a>');
  });

  it('cannot be made of a string', () => {
    // @ts-expect-error the constructor is private
    expect(() => new Markup('<b>')).not.toThrow();
    // @ts-expect-error what only looks like markup is no part
    expect(html`${{ text: '<b>' } as { text: string }}`.text).not.toContain('<b>');
    // @ts-expect-error raw text takes no values
    expect(() => rawText`a${'b'}`).toThrow('cannot be inserted');
  });
});

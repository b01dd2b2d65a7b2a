import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/kube/errors.ts';
import { renderJsonpath, renderJsonpathAsJson } from '../../../src/terminal/jsonpath/render-jsonpath.ts';

const report = {
  items: [
    { target: { name: 'a' }, cause: 'sc-missing', score: 1 },
    { target: { name: 'b' }, cause: 'sc-missing', score: 2.5, since: undefined },
    { target: { name: 'c' }, score: 3, note: 'two\nlines \u001b[31mred' },
  ],
  counts: { 'a.b': 1, text: '' },
};

describe('a jsonpath template', () => {
  it('prints values with blanks, texts as they are, and a range once for each value', () => {
    expect(renderJsonpath(report, '{.items[*].cause}')).toBe('sc-missing sc-missing');
    expect(renderJsonpath(report, '{range .items[*]}{.target.name}{"\\t"}{.score};{end}.')).toBe('a\t1;b\t2.5;c\t3;.');
    expect(renderJsonpathAsJson(report, '{.items[*].score}')).toBe('[\n    1,\n    2.5,\n    3\n]\n');
  });

  it('compares whole numbers with fractions, which kubectl does not', () => {
    expect(renderJsonpath(report, '{.items[?(@.score>=2.5)].target.name}')).toBe('b c');
  });

  it('takes control sequences out of values, but not out of the template', () => {
    expect(renderJsonpath(report, '{.items[2].note}{"\\x1b"}')).toBe('two\nlines red\u001b');
    expect(renderJsonpathAsJson({ note: '\u009b' }, '{.note}')).toContain('"\\u009b"');
  });

  it('knows no field that an object inherits', () => {
    expect(renderJsonpath(report, '{.constructor}{.items.length}{..toString}')).toBe('');
  });

  it.each([
    ['', '-o jsonpath needs a template'],
    ['.items', 'the jsonpath template ".items" has no expression in braces'],
    ['{.items[0]', 'the brace of {.items[0] is not closed'],
    ['{.items[0', 'the bracket of [0 is not closed'],
    ['{.items[x]}', "[x] is not an index; a key is quoted as ['key']"],
    ['{.items["x"]}', '["x"] is not an index'],
    ['{items}', '"items" is no keyword; a field begins with a dot: .items'],
    ['{end}', '{end} has no {range …} before it'],
    ['{range .items[*]}{end}{end}', '{end} has no {range …} before it'],
    ['{"a}', 'the quote of "a} is not closed'],
    ['{"\\q"}', '"\\q" has an unknown escape'],
    ['{.items[?(@.a=="b"]}', 'is not closed'],
    ['{.items[?(@.a=="b")}', 'a filter ends with ")]"'],
    ['{.items[?(@.a=~"b")]}', 'a filter cannot compare with ='],
    ['{.items[?(@.a=="b" && @.c=="d")]}', '"&" has no meaning there'],
    ['{.items[?(@.a===1)]}', 'a filter cannot compare with ==='],
    ['{.items[*], .counts}', '"," has no meaning there'],
    ['{....a}', '".." follows ".."'],
    ['{1.2.3}', '1.2.3 is not a number'],
    ['{.items[-]}', '[-] is not an index'],
    ['{.items[9]}', 'reads item 9 of a list with 3 items'],
    ['{.items[2:1]}', 'reads a list from item 2 back to item 1'],
    ['{.items[0:2:0]}', 'reads a list in steps of 0'],
    ['{.counts[0]}', 'has an index for an object, which is not a list'],
    ['{.items[?(@.cause==1)]}', 'compares a text with a number by =='],
    ['{.items[?(@.*==1)]}', 'more than one value at a time'],
  ])('that cannot be used is refused with the reason: %s', (template, reason) => {
    expect(() => renderJsonpath(report, template)).toThrow(reason);
    expect(() => renderJsonpath(report, template)).toThrow(UserError);
  });
});

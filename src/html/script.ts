import { rawText } from './markup.ts';

/**
 * Filter, fold and copy. The page is complete without it, so the script shows its own controls. A page that is updated
 * in place (live-script.ts) notifies it with the event `report:replaced`.
 */
export const script = rawText`
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const tools = document.querySelector('.tools');
  let items = [];
  let folds = [];
  let texts = new Map();
  let filter = () => {};
  const collect = () => {
    items = all('[data-item]');
    folds = all('details');
    texts = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
    if (tools && (items.length > 1 || folds.length > 1)) tools.hidden = false;
    filter();
  };
  if (tools) {
    const input = tools.querySelector('input');
    const told = tools.querySelector('output');
    filter = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const item of items) {
        const fits = words.every((word) => texts.get(item).includes(word));
        item.hidden = !fits;
        if (fits) shown += 1;
      }
      told.textContent = words.length === 0 ? '' : shown + ' of ' + items.length + ' entries shown';
    };
    tools.addEventListener('submit', (event) => event.preventDefault());
    input.addEventListener('input', filter);
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') { input.value = ''; filter(); }
    });
    for (const button of all('button[data-fold]', tools))
      button.addEventListener('click', () => {
        for (const fold of folds) fold.open = button.dataset.fold === 'open';
      });
  }
  const openTarget = () => {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    const fold = target && target.closest('details');
    if (fold) { fold.hidden = false; fold.open = true; }
  };
  window.addEventListener('hashchange', openTarget);
  let closed = [];
  window.addEventListener('beforeprint', () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener('afterprint', () => { for (const fold of closed) fold.open = false; });
  const addCopy = (place) => {
    const text = place.querySelector('pre');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', 'Copy the command');
    button.addEventListener('click', async () => {
      const range = document.createRange();
      range.selectNodeContents(text);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Selected';
      }
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
    place.append(button);
  };
  const prepare = () => {
    collect();
    for (const place of all('.command')) if (!place.querySelector('button')) addCopy(place);
  };
  document.addEventListener('report:replaced', prepare);
  prepare();
  openTarget();
})();
`;

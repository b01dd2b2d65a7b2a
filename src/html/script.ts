import { rawText } from './markup.ts';

/** Filter, fold and copy. The page is complete without it, so it shows its own controls. */
export const script = rawText`
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const items = all('[data-item]');
  const tools = document.querySelector('.tools');
  const folds = all('details');
  if (tools && (items.length > 1 || folds.length > 1)) {
    tools.hidden = false;
    const input = tools.querySelector('input');
    const told = tools.querySelector('output');
    const texts = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
    const filter = () => {
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
  openTarget();
  let closed = [];
  window.addEventListener('beforeprint', () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener('afterprint', () => { for (const fold of closed) fold.open = false; });
  for (const place of all('.command')) {
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
  }
})();
`;

import { rawText } from './markup.ts';

/**
 * Keeps a served page up to date. The server sends its revision over `events`; the page is then fetched again, and its
 * header and report take the place of the old ones. What the reader has folded, filtered and scrolled to stays.
 */
export const liveScript = rawText`
(() => {
  const bar = document.querySelector('.live');
  const main = document.querySelector('main');
  const word = bar.querySelector('[role=status]');
  const clock = bar.querySelector('.clock');
  const lost = document.getElementById('lost');
  bar.querySelector('.again').hidden = true;
  let revision = bar.dataset.revision;
  let wanted = revision;
  let shownAt = Date.now();
  let isBusy = false;
  let checkedAt = Date.now();
  let heardAt = Date.now();
  let lostAt = 0;
  let retryMs = 2000;
  let state = bar.dataset.state;
  let isBehind = false;
  let events;
  // The server sends something every ten seconds: silence for so long is a connection that died without a word.
  const silentMs = 35000;
  const words = {
    live: 'Live', connecting: 'Connecting', stale: 'Out of date', lost: 'Connection lost', dump: 'Dump',
    behind: 'Not updated', paused: 'Paused while text is selected',
  };
  // What is shown can be older than what the server knows, and is never called live then.
  const tell = () => {
    if (lostAt) say('lost');
    else if (isBehind) say('behind');
    else if (wanted !== revision && isSelecting()) say('paused');
    else say(state);
  };
  const say = (state) => {
    if (bar.dataset.state === state) return;
    bar.dataset.state = state;
    word.textContent = words[state] || state;
  };
  const ago = (time) => {
    const seconds = Math.max(0, Math.round((Date.now() - time) / 1000));
    return seconds < 120 ? seconds + 's' : seconds < 7200 ? Math.round(seconds / 60) + 'm' : Math.round(seconds / 3600) + 'h';
  };
  const tick = () => {
    if (events && Date.now() - heardAt > silentMs) {
      events.close();
      again();
      lose();
    }
    tell();
    clock.textContent = (lostAt ? 'lost ' + ago(lostAt) + ' ago; last checked ' : 'checked ') + ago(checkedAt) + ' ago';
  };
  const nameOf = (fold, seen) => {
    const heading = fold.querySelector('summary');
    const name = heading ? heading.querySelector('h3,h4,b,code')?.textContent.trim() || heading.textContent.trim() : '';
    const count = seen.get(name) || 0;
    seen.set(name, count + 1);
    return name + '#' + count;
  };
  const namesOf = (root) => {
    const seen = new Map();
    return new Map([...root.querySelectorAll('details')].map((fold) => [nameOf(fold, seen), fold]));
  };
  const isSelecting = () => {
    const selection = getSelection();
    return selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode);
  };
  const anchorOf = (folds) => {
    for (const [name, fold] of folds) {
      const box = fold.getBoundingClientRect();
      if (box.bottom > 0 && box.top < innerHeight) return { name, top: box.top };
    }
    return undefined;
  };
  const replace = (next) => {
    const nextMain = next.querySelector('main');
    const nextHeader = next.querySelector('header');
    const nextBar = next.querySelector('.live');
    if (!nextMain || !nextHeader || !nextBar) return false;
    const folds = namesOf(main);
    const anchor = scrollY > 0 ? anchorOf(folds) : undefined;
    const active = document.activeElement;
    const focused = active && main.contains(active) ? [...folds].find(([, fold]) => fold.contains(active)) : undefined;
    const tools = main.querySelector('.tools');
    const hadFocus = tools && tools.contains(active);
    const nextFolds = namesOf(nextMain);
    for (const [name, fold] of nextFolds) if (folds.has(name)) fold.open = folds.get(name).open;
    const nextTools = nextMain.querySelector('.tools');
    if (nextTools) nextTools.remove();
    for (const child of [...main.children]) if (child !== tools) child.remove();
    main.append(...nextMain.childNodes);
    document.querySelector('header').replaceChildren(...nextHeader.childNodes);
    document.title = next.title;
    revision = nextBar.dataset.revision;
    shownAt = Date.now();
    document.dispatchEvent(new Event('report:replaced'));
    if (anchor && nextFolds.has(anchor.name))
      scrollBy({ top: nextFolds.get(anchor.name).getBoundingClientRect().top - anchor.top, behavior: 'instant' });
    if (!hadFocus && focused && nextFolds.has(focused[0])) nextFolds.get(focused[0]).querySelector('summary')?.focus({ preventScroll: true });
    return true;
  };
  const refresh = async () => {
    // Ages are relative to the time of the page, so it is renewed even where nothing has changed.
    const isOld = wanted !== revision || Date.now() - shownAt > 60000;
    if (!isOld) isBehind = false;
    if (isBusy || !isOld || isSelecting()) return tell();
    isBusy = true;
    let isReplaced = false;
    try {
      const answer = await fetch(location.href.split('#')[0], { headers: { Accept: 'text/html' }, cache: 'no-store', signal: AbortSignal.timeout(30000) });
      const type = answer.headers.get('content-type') || '';
      if (type.includes('html')) isReplaced = replace(new DOMParser().parseFromString(await answer.text(), 'text/html'));
      // What came may be older or newer than what was announced; the next event has the right revision.
      if (isReplaced) wanted = revision;
    } catch {
      // The stream of events notices that the server is gone.
    } finally {
      isBusy = false;
      isBehind = !isReplaced;
      tell();
    }
  };
  document.addEventListener('selectionchange', () => { void refresh(); });
  const lose = () => {
    if (lostAt) return;
    lostAt = Date.now();
    lost.hidden = false;
    tick();
  };
  const again = () => {
    events = undefined;
    setTimeout(follow, retryMs);
    retryMs = Math.min(retryMs * 2, 60000);
  };
  const follow = () => {
    events = new EventSource('events');
    const own = events;
    heardAt = Date.now();
    events.addEventListener('picture', (event) => {
      const picture = JSON.parse(event.data);
      lostAt = 0;
      lost.hidden = true;
      retryMs = 2000;
      heardAt = Date.now();
      checkedAt = heardAt - (picture.age || 0);
      state = picture.state;
      wanted = picture.revision;
      tick();
      void refresh();
    });
    events.addEventListener('error', () => {
      heardAt = Date.now();
      lose();
      // After an error answer the browser gives up, so it is asked again.
      if (own.readyState === EventSource.CLOSED && own === events) again();
    });
  };
  setInterval(tick, 5000);
  tick();
  follow();
})();
`;

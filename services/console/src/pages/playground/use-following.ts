import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Closer to the end than this, a reader follows what is being written. */
const nearPx = 80;

/** Keeps the end of what scrolls in sight while `content` grows, unless the reader has scrolled away from it. */
export function useFollowing(content: unknown): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  useEffect(() => {
    const look = () => {
      const scroller = scrollerOf(element.current);
      following.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearPx;
    };
    // Scrolling does not bubble, but it can be caught on its way down.
    document.addEventListener('scroll', look, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', look, { capture: true });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the content that makes it grow
  useLayoutEffect(() => {
    const scroller = scrollerOf(element.current);
    if (following.current) scroller.scrollTop = scroller.scrollHeight;
  }, [content]);
  return element;
}

/** On narrow screens the whole page scrolls. */
function scrollerOf(element: HTMLElement | null): Element {
  const own = element && getComputedStyle(element).overflowY === 'auto';
  return own ? element : document.documentElement;
}

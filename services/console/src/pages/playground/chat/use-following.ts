import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** The distance from the end, in pixels, within which the view follows the text. */
const nearPx = 80;

/** Keeps the view scrolled to the end while `content` grows, unless the reader has scrolled away. */
export function useFollowing(content: unknown): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  useEffect(() => {
    const look = () => {
      const scroller = scrollerOf(element.current);
      following.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearPx;
    };
    // Scroll events do not bubble, but can be captured.
    document.addEventListener('scroll', look, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', look, { capture: true });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the content grows
  useLayoutEffect(() => {
    const scroller = scrollerOf(element.current);
    if (following.current) scroller.scrollTop = scroller.scrollHeight;
  }, [content]);
  return element;
}

/** Returns the element that scrolls. On narrow screens that is the whole page. */
function scrollerOf(element: HTMLElement | null): Element {
  const scrolls = element && getComputedStyle(element).overflowY === 'auto';
  return scrolls ? element : document.documentElement;
}

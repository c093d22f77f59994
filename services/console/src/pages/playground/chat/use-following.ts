import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** The distance from the end, in pixels, within which the view follows the text. */
const nearPx = 80;

/** Keeps the view scrolled to the end while `content`, the first child, grows, unless the reader has scrolled away. */
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
  useEffect(() => {
    const inner = element.current?.firstElementChild;
    if (!inner) return;
    // Turns grow when they are drawn for the first time, which is when they come near the screen.
    const observer = new ResizeObserver(() => toEnd(element.current, following.current));
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the content grows
  useLayoutEffect(() => {
    toEnd(element.current, following.current);
  }, [content]);
  return element;
}

function toEnd(element: HTMLElement | null, following: boolean): void {
  const scroller = scrollerOf(element);
  if (following) scroller.scrollTop = scroller.scrollHeight;
}

/** Returns the element that scrolls. On narrow screens that is the whole page. */
function scrollerOf(element: HTMLElement | null): Element {
  const scrolls = element && getComputedStyle(element).overflowY === 'auto';
  return scrolls ? element : document.documentElement;
}

import 'katex/dist/katex.min.css';
import katex from 'katex';
import { useLayoutEffect, useRef } from 'react';
import classes from './markdown.module.css';

/** A formula in TeX. One that cannot be parsed, such as one that is not complete, is shown as it was written. */
export function Formula({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    try {
      // It sets styles on elements. Text with `style` attributes would violate the page's policy.
      katex.render(tex, place.current, {
        displayMode: display,
        maxSize: 50,
        maxExpand: 500,
        strict: 'ignore',
      });
    } catch {
      place.current.textContent = tex;
    }
  }, [tex, display]);
  return (
    <span
      ref={place}
      className={display ? classes.formula : undefined}
      {...(display && { role: 'group', 'aria-label': 'Formula, scrollable', tabIndex: 0 })}
    />
  );
}

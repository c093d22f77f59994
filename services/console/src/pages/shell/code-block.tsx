import classes from './code-block.module.css';
import { Copy } from './copy.tsx';

/** Code as it is, under what it is called, with a button to copy it. */
export function CodeBlock({ label, code }: { label: string; code: string }) {
  return (
    <figure className={classes.block}>
      <figcaption>
        <span>{label}</span>
        <Copy text={code} label={`Copy ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus */}
      <pre tabIndex={0}>{code}</pre>
    </figure>
  );
}

import { Component, type ReactNode } from 'react';
import classes from './markdown.module.css';

interface Shown {
  text: string;
  children: ReactNode;
}

/** Shows a part of a text as it was written if it cannot be rendered, until the text has changed. */
export class BlockBoundary extends Component<Shown, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidUpdate(before: Shown) {
    if (this.state.failed && before.text !== this.props.text) this.setState({ failed: false });
  }

  override render() {
    const { text, children } = this.props;
    return this.state.failed ? <PlainBlock text={text} /> : children;
  }
}

/** A part of a text as it was written. */
export function PlainBlock({ text }: { text: string }) {
  return <p className={classes.plain}>{text}</p>;
}

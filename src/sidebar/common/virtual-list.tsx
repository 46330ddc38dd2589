import React from 'react';

/** Items that may be made only when they are asked for. */
export interface IItems<T> {
  readonly length: number;
  slice(start: number, end: number): readonly T[];
}

export interface IVirtualListProps<T> {
  items: IItems<T>;
  rowHeight: number;
  /** Longer lists scroll within this many rows. */
  maxRows: number;
  keyOf: (item: T) => string | number;
  render: (item: T, index: number) => React.ReactNode;
  /** Index of a row that should be in sight. */
  reveal?: number;
  label: string;
  role?: 'list' | 'tree' | 'presentation';
}

const OVERSCAN = 6;

/**
 * A list of equally high rows, of which only those in sight are in the page.
 */
export function VirtualList<T>(props: IVirtualListProps<T>): React.JSX.Element {
  const { items, rowHeight, maxRows, reveal } = props;
  const [top, setTop] = React.useState(0);
  const box = React.useRef<HTMLDivElement>(null);
  const windowed = items.length > maxRows;
  const visible = maxRows + 2 * OVERSCAN;
  const first = windowed
    ? Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
    : 0;
  const shown = items.slice(first, windowed ? first + visible : items.length);

  React.useEffect(() => {
    const node = box.current;
    if (node === null || reveal === undefined || reveal < 0 || !windowed) {
      return;
    }
    const start = reveal * rowHeight;
    const end = start + rowHeight;
    if (start < node.scrollTop || end > node.scrollTop + node.clientHeight) {
      node.scrollTop = Math.max(0, start - node.clientHeight / 2);
    }
  }, [reveal, rowHeight, windowed]);

  return (
    <div
      ref={box}
      className="bcc-VirtualList"
      role={props.role ?? 'list'}
      aria-label={props.label}
      {...(windowed && props.role !== 'tree' && { tabIndex: 0 })}
      style={windowed ? { height: maxRows * rowHeight } : undefined}
      onScroll={event => {
        setTop(event.currentTarget.scrollTop);
      }}
    >
      <div
        role="presentation"
        style={
          windowed
            ? {
                height: items.length * rowHeight - first * rowHeight,
                paddingTop: first * rowHeight
              }
            : undefined
        }
      >
        {shown.map((item, index) => (
          <React.Fragment key={props.keyOf(item)}>
            {props.render(item, first + index)}
          </React.Fragment>
        ))}
      </div>
    </div>
  );
}

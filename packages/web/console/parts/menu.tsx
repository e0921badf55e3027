import { Menu as Base } from '@base-ui/react/menu';
import { PARTS } from '../texts.ts';
import { Icon, type IconName } from './display.tsx';
import { OVERLAY_CONTAINER } from './overlay-container.ts';

interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** A second line; for a disabled item, the reason. */
  readonly hint?: string;
  readonly run: () => void;
}

interface MenuProps {
  items: readonly MenuItem[];
  /** The accessible name of the three dots, such as "More for Ana Ng". */
  label?: string;
  /** Text on the button instead of the dots. */
  text?: string;
}

/** A button that opens a list of actions. */
export const Menu = ({ items, label = PARTS.more, text }: MenuProps) => (
  <Base.Root>
    <Base.Trigger
      className={text === undefined ? 'icon-button' : 'button quiet'}
      {...(text === undefined && { 'aria-label': label, title: label })}
    >
      {text}
      <Icon name={text === undefined ? 'more' : 'down'} />
    </Base.Trigger>
    <Base.Portal container={OVERLAY_CONTAINER}>
      <Base.Positioner className="positioner" sideOffset={6} align="end">
        <Base.Popup className="popup">
          {items.map((item) => (
            <Base.Item
              key={item.label}
              className={item.danger === true ? 'line gap-12 popup-item bad-text' : 'line gap-12 popup-item'}
              disabled={item.disabled ?? false}
              onClick={item.run}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              {item.hint === undefined ? (
                item.label
              ) : (
                <span className="grid">
                  {item.label}
                  <span className="hint">{item.hint}</span>
                </span>
              )}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

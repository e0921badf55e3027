import { Menu as Base } from '@base-ui/react/menu';
import { PARTS } from '../texts/common.ts';
import { Icon, type IconName } from './icon.tsx';
import { OVERLAY_ROOM } from './overlay-room.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** A word more; of what is disabled, why it is. */
  readonly hint?: string;
  readonly run: () => void;
}

interface MenuProps {
  items: readonly MenuItem[];
  /** Of what: said instead of the three dots, as in "More for Ana Ng". */
  label?: string;
  /** Words on the button instead of the dots. */
  text?: string;
}

/** What else can be done with something. */
export const Menu = ({ items, label = PARTS.more, text }: MenuProps) => (
  <Base.Root>
    <Base.Trigger
      className={text === undefined ? 'icon-button' : 'button quiet'}
      {...(text === undefined && { 'aria-label': label, title: label })}
    >
      {text}
      <Icon name={text === undefined ? 'more' : 'down'} />
    </Base.Trigger>
    <Base.Portal container={OVERLAY_ROOM}>
      <Base.Positioner className="positioner" sideOffset={6} align="end">
        <Base.Popup className="popup">
          {items.map((item) => (
            <Base.Item
              key={item.label}
              className={item.danger === true ? 'popup-item popup-danger' : 'popup-item'}
              disabled={item.disabled ?? false}
              onClick={item.run}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              {item.hint === undefined ? (
                item.label
              ) : (
                <span className="popup-words">
                  {item.label}
                  <span className="popup-hint">{item.hint}</span>
                </span>
              )}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

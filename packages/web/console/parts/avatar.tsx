const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const [first = '', last = ''] = [words.at(0), words.length > 1 ? words.at(-1) : ''];
  return `${[...first][0] ?? ''}${[...last][0] ?? ''}`.toUpperCase();
};

interface AvatarProps {
  name: string;
  photo: string | null;
  size?: 'small' | 'medium' | 'large';
}

/** Hidden from screen readers, because the name is always next to it. */
export const Avatar = ({ name, photo, size = 'medium' }: AvatarProps) => (
  <span className={`avatar avatar-${size}`} aria-hidden="true">
    {photo === null ? initialsOf(name) : <img src={photo} alt="" loading="lazy" />}
  </span>
);

import type { ReactNode } from 'react';

interface PhonePreviewProps {
  /** What is seen, for those who do not see it. */
  label: string;
  /** A page of ours; it is shown at the width of a phone. */
  src?: string;
  /** Or what is drawn here: a MessageBubble. */
  children?: ReactNode;
}

/** How it looks in the hand of the one who gets it. */
export const PhonePreview = ({ label, src, children }: PhonePreviewProps) => (
  <div className="phone">
    <div className="phone-screen">{src === undefined ? children : <iframe title={label} src={src} />}</div>
  </div>
);

/** A text message as it arrives. */
export const MessageBubble = ({ children }: { children: ReactNode }) => <p className="bubble">{children}</p>;

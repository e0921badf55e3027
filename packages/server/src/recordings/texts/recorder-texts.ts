/** The recorder's texts that the server sends. The others belong to its script. */
export interface RecorderTexts {
  heading(name: string): string;
  /** In link previews. It names neither the recipient nor the member, because previews are stored by others. */
  cardDescription: string;
  /** Names the page for screen readers. */
  region: string;
  /** Shown without JavaScript. */
  needsScript: string;
  /** Why a take was refused: a `RecordingFailureCode`, and the stored message in English. */
  explainRefusal(code: string | null, stored: string | null): string | null;
  /** Why a text was not sent or not delivered: a `DeliveryFailureCode`, and the stored message in English. */
  explainFailure(code: string, stored: string): string;
}

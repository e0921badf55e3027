import { useState } from 'react';
import { changeDensity, DENSITIES, readDensity } from '../../density.ts';
import { Card } from '../../parts/card.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { SETTINGS } from '../../texts/settings.ts';

/** Takes effect at once, in this browser. */
export function Lists() {
  const [density, setDensity] = useState(readDensity);
  return (
    <Card title={SETTINGS.listsTitle} lead={SETTINGS.listsLead}>
      <Segmented
        label={SETTINGS.listsTitle}
        value={density}
        onChange={(next) => {
          changeDensity(next);
          setDensity(next);
        }}
        options={DENSITIES.map((value) => ({ value, label: SETTINGS.density[value] }))}
      />
    </Card>
  );
}

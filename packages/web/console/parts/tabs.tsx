import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

interface TabsProps<T extends string> {
  value: T;
  onChange: (value: T) => void;
  label: string;
  tabs: readonly { readonly value: T; readonly label: string; readonly panel: ReactNode }[];
}

/** Views without their own URL. Pages with a URL use SubNavigation. */
export const Tabs = <T extends string>({ value, onChange, label, tabs }: TabsProps<T>) => (
  <Base.Root value={value} onValueChange={(next: T) => onChange(next)} className="tabs">
    <Base.List className="tab-list" aria-label={label}>
      {tabs.map((tab) => (
        <Base.Tab key={tab.value} value={tab.value} className="tab">
          {tab.label}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map((tab) => (
      <Base.Panel key={tab.value} value={tab.value} className="tab-panel">
        {tab.panel}
      </Base.Panel>
    ))}
  </Base.Root>
);

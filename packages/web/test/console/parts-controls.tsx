import { useState } from 'react';
import { ApiFailure } from '../../console/failure.ts';
import { Card } from '../../console/parts/card.tsx';
import { Checkbox, RadioGroup, Segmented, Switch } from '../../console/parts/choices.tsx';
import { Combobox } from '../../console/parts/combobox.tsx';
import { UnsavedChanges } from '../../console/parts/confirm.tsx';
import { Field } from '../../console/parts/field.tsx';
import { FormProblem } from '../../console/parts/form-problem.tsx';
import { Input, NumberInput, PhoneInput, TextArea } from '../../console/parts/input.tsx';
import { Select } from '../../console/parts/select.tsx';

export const REFUSED = new ApiFailure({
  status: 422,
  code: 'validation_failed',
  message: 'email is taken.',
  field: 'email',
});
export const PEOPLE = ['Ana Ng', 'Ben Okafor', 'Carla Ruiz', 'Dana Reed'].map((name, at) => ({
  id: `mem_${at}`,
  name,
}));
const LANES = [
  { value: 'retail', label: 'Retail', hint: 'The homeowner pays.' },
  { value: 'insurance', label: 'Insurance', hint: 'An insurer pays.' },
] as const;
type Lane = (typeof LANES)[number]['value'];

/** All form controls. */
export function Controls() {
  const [text, setText] = useState('Ana');
  const [words, setWords] = useState('Hi Dana, this is Ana.');
  const [days, setDays] = useState<number | null>(7);
  const [phone, setPhone] = useState('+14155550123');
  const [lane, setLane] = useState<Lane>('retail');
  const [on, setOn] = useState(true);
  const [person, setPerson] = useState<(typeof PEOPLE)[number] | null>(null);
  return (
    <Card title="Controls" lead="All form controls.">
      <form className="form">
        <UnsavedChanges when={text !== 'Ana'} />
        <Field label="First name" hint="As people say it." counter={{ used: text.length, most: 100 }}>
          <Input value={text} onChange={setText} />
        </Field>
        <Field label="Email" error="Is taken." optional>
          <Input type="email" value="ana@acme.example" onChange={() => {}} />
        </Field>
        <Field label="Script">
          <TextArea value={words} onChange={setWords} />
        </Field>
        <div className="form-row">
          <Field label="Days to record">
            <NumberInput value={days} onChange={setDays} />
          </Field>
          <Field label="Phone">
            <PhoneInput value={phone} onChange={setPhone} />
          </Field>
        </div>
        <output>{phone}</output>
        <Field label="Lane">
          <Select value={lane} options={LANES} onChange={setLane} />
        </Field>
        <Field label="Lane in words" group>
          <RadioGroup value={lane} options={LANES} onChange={setLane} />
        </Field>
        <Segmented label="Lane in short" value={lane} options={LANES} onChange={setLane} />
        <Field label="Member">
          <Combobox
            items={PEOPLE}
            value={person}
            onChange={setPerson}
            keyOf={({ id }) => id}
            labelOf={({ name }) => name}
            placeholder="No one"
            searchLabel="Search members by name"
          />
        </Field>
        <Checkbox label="Send it to me as well" hint="To your own number." checked={on} onChange={setOn} />
        <Switch label="Active" checked={on} onChange={setOn} />
        <Switch label="Disabled" checked={false} onChange={setOn} disabled />
        <FormProblem error={REFUSED} fields={[]} />
      </form>
    </Card>
  );
}

-- What a Spanish page shows instead of the label of the button and the job title. Null: it shows the other one.
alter table touchpoints add column action_label_es text;
alter table members add column title_es text;

-- The intro of an event is in the event's row, and the statement that writes it locks the event, so that it gets one intro.
drop index intros_event;

mod sets;

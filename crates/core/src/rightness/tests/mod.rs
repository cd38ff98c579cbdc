mod metamorphic;
mod sets;

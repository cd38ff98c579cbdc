mod ground;
mod metamorphic;
mod pairs;
mod sets;
mod speed;

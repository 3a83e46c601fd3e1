//! Retake from outside: the program as a script sees it, hostile folders, and the order of the layers.

mod broken;
mod cli;
mod layers;
mod project;

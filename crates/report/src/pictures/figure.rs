//! A picture with the table of its numbers.

use crate::chart::Chart;
use crate::chart::bars::Bars;
use crate::document::Table;

/// A picture with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The picture.
    pub graphic: Graphic,
    /// The numbers as a table; its title is the picture's, its notes explain both.
    pub figures: Table,
}

/// The kinds of picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Graphic {
    /// Horizontal bars.
    Bars(Bars),
    /// Lines over two axes.
    Chart(Chart),
}

impl Figure {
    /// Creates a figure of bars.
    pub(crate) fn bars(bars: Bars, figures: Table) -> Self {
        Self { graphic: Graphic::Bars(bars), figures }
    }

    /// Creates a figure of lines.
    pub(crate) fn lines(chart: Chart, figures: Table) -> Self {
        Self { graphic: Graphic::Chart(chart), figures }
    }
}

//! How wide the columns are, and which give way when the table is narrow.

use egui::Rangef;

use crate::workbench::{Column, Grouping};

/// A column and where it stands, from left to right.
pub(super) type Placed = (Column, Rangef);

/// The columns that give way, the first first.
const GIVE_WAY: [Column; 3] = [Column::Model, Column::Set, Column::Kind];
/// The room that tool names must have before another column gives way for them.
const TOOLS_AT_LEAST: f32 = 104.0;
/// The room that is enough for tool names; what is left over goes to the id, up to a name of some length.
const TOOLS_ENOUGH: f32 = 240.0;
const ID_AT_MOST: f32 = 320.0;

/// Lays the columns out from `left` over `width`; the tools take what is left.
pub(super) fn layout(left: f32, width: f32, grouping: Grouping) -> Vec<Placed> {
    let mut columns: Vec<Column> = Column::ALL.to_vec();
    match grouping {
        Grouping::Folder => columns.retain(|column| *column != Column::Set),
        Grouping::Status | Grouping::None => {}
    }
    for column in GIVE_WAY {
        if rest(width, &columns) >= TOOLS_AT_LEAST {
            break;
        }
        columns.retain(|other| *other != column);
    }
    let tools = rest(width, &columns).max(0.0);
    let more_id = (tools - TOOLS_ENOUGH).clamp(0.0, ID_AT_MOST - 170.0);
    let mut at = left;
    let mut place = |column| {
        let start = at;
        at += match column {
            Column::Tools => tools - more_id,
            Column::Id => 170.0 + more_id,
            column => fixed(column).unwrap_or_default(),
        };
        (column, Rangef::new(start, at))
    };
    columns.into_iter().map(&mut place).collect()
}

/// What the tools column gets.
fn rest(width: f32, columns: &[Column]) -> f32 {
    width
        - columns
            .iter()
            .filter_map(|column| fixed(*column))
            .sum::<f32>()
}

fn fixed(column: Column) -> Option<f32> {
    match column {
        Column::Status => Some(116.0),
        Column::Kind => Some(92.0),
        Column::Id => Some(170.0),
        Column::Set => Some(104.0),
        Column::Tools => None,
        Column::Model => Some(120.0),
        Column::RecordedAt => Some(132.0),
        Column::Problems => Some(80.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_gives_way_first_and_the_id_never() {
        let names = |width| {
            let columns = layout(0.0, width, Grouping::None);
            columns
                .into_iter()
                .map(|(column, _)| column.name())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            names(940.0),
            "Status Kind Id Set Tools offered Model Recorded at Problems"
        );
        assert_eq!(
            names(800.0),
            "Status Kind Id Set Tools offered Recorded at Problems"
        );
        assert_eq!(names(600.0), "Status Id Tools offered Recorded at Problems");
    }
}

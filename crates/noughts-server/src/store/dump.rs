//! The whole content of a store as a stream of rows, for backups and for copies to another kind of store.
//! A dump has the rows of the tables in [`DUMPED`], in a form that fits both databases. It leaves out data that is
//! needed only for a short time: connected players, players who wait for an opponent, quick matches, and codes that
//! link another device.

use tokio::sync::mpsc;

use super::StoreError;

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// A whole number.
    Integer,
    /// True or false.
    Flag,
    /// Bytes, such as an id or a hash.
    Bytes,
    /// Text.
    Text,
}

/// A value of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DumpValue {
    /// No value.
    Null,
    /// A value of a column of kind [`ColumnKind::Integer`].
    Integer(i64),
    /// A value of a column of kind [`ColumnKind::Flag`].
    Flag(bool),
    /// A value of a column of kind [`ColumnKind::Bytes`].
    Bytes(Vec<u8>),
    /// A value of a column of kind [`ColumnKind::Text`].
    Text(String),
}

impl DumpValue {
    /// The approximate memory that the value takes, in bytes.
    fn size(&self) -> usize {
        16 + match self {
            DumpValue::Null | DumpValue::Integer(_) | DumpValue::Flag(_) => 0,
            DumpValue::Bytes(bytes) => bytes.len(),
            DumpValue::Text(text) => text.len(),
        }
    }
}

/// A database table that is part of a dump.
#[derive(PartialEq, Eq, Debug)]
pub struct DumpTable {
    /// The name of the table.
    pub name: &'static str,
    /// The columns that the table has in both databases.
    pub columns: &'static [(&'static str, ColumnKind)],
    /// The columns by which the rows are ordered; `None` if the table always has exactly one row.
    order: Option<&'static str>,
}

use ColumnKind::{Bytes, Flag, Integer, Text};

/// All tables of a dump, in order.
pub const DUMPED: &[DumpTable] = &[
    DumpTable {
        name: "secrets",
        columns: &[("secret", Bytes)],
        order: None,
    },
    DumpTable {
        name: "players",
        columns: &[
            ("id", Bytes),
            ("name", Text),
            ("is_bot", Flag),
            ("created_ms", Integer),
            ("checked_ms", Integer),
        ],
        order: Some("id"),
    },
    DumpTable {
        name: "player_tokens",
        columns: &[("hash", Bytes), ("player", Bytes)],
        order: Some("hash"),
    },
    DumpTable {
        name: "games",
        columns: &[
            ("id", Bytes),
            ("variant", Text),
            ("family", Text),
            ("history", Integer),
            ("start", Text),
            ("holders", Text),
            ("created_ms", Integer),
            ("key_scope", Text),
            ("key", Text),
            ("request", Integer),
            ("status", Text),
            ("seats", Text),
            ("tied", Flag),
            ("deadline_ms", Integer),
            ("ended_ms", Integer),
            ("outcome", Text),
            ("clock", Text),
            ("listed", Flag),
        ],
        order: Some("id"),
    },
    DumpTable {
        name: "entries",
        columns: &[
            ("game", Bytes),
            ("number", Integer),
            ("at_ms", Integer),
            ("seat", Integer),
            ("kind", Text),
            ("data", Text),
            ("key", Text),
            ("request", Integer),
        ],
        order: Some("game, number"),
    },
    DumpTable {
        name: "seat_names",
        columns: &[
            ("name", Text),
            ("created_ms", Integer),
            ("game", Bytes),
            ("family", Text),
            ("is_running", Flag),
        ],
        order: Some("game, name"),
    },
    DumpTable {
        name: "analyses",
        columns: &[("game", Bytes), ("analysis", Text)],
        order: Some("game"),
    },
    // The seat of a TCP client belongs to a node. The first server on the restored store detects that this node is
    // dead, and lets the node's TCP clients leave their games.
    DumpTable {
        name: "nodes",
        columns: &[("node", Text), ("counter", Integer)],
        order: Some("node"),
    },
    // The time from the dump to the first start of a server on the restored store counts as an outage. So no player's
    // clock loses this time.
    DumpTable {
        name: "heartbeat",
        columns: &[("at_ms", Integer)],
        order: None,
    },
    DumpTable {
        name: "outages",
        columns: &[("until_ms", Integer), ("from_ms", Integer)],
        order: Some("until_ms"),
    },
    DumpTable {
        name: "bans",
        columns: &[("network", Text), ("until_ms", Integer), ("reason", Text)],
        order: Some("network"),
    },
    DumpTable {
        name: "announcements",
        columns: &[("id", Integer), ("text", Text)],
        order: Some("id"),
    },
];

/// A part of a dump. Rows follow the table that they belong to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DumpItem {
    /// A table begins. Its columns are given by their position in [`DumpTable::columns`].
    Table {
        /// The table that the following rows belong to.
        table: &'static DumpTable,
        /// The columns of the following rows. Other columns get their default value.
        columns: Vec<usize>,
    },
    /// A row of the latest [`Table`](DumpItem::Table), with one value for each of its columns.
    Row(Vec<DumpValue>),
    /// The dump is complete.
    End,
}

/// The rows that one statement stores.
#[derive(Debug)]
pub(super) struct RowBatch {
    pub(super) table: &'static DumpTable,
    pub(super) columns: Vec<usize>,
    pub(super) rows: Vec<Vec<DumpValue>>,
    bytes: usize,
}

/// The next step of a store that loads a dump.
#[derive(Debug)]
pub(super) enum LoadStep {
    Nothing,
    /// Delete the rows that an unused store has in a table.
    Clear(&'static DumpTable),
    Insert(RowBatch),
    Commit,
}

/// Maximum number of rows per statement. A row has at most 18 values, and SQLite permits at most 32 766 values per
/// statement.
const MAX_ROWS: usize = 500;

/// When the rows of a statement have this size in bytes, the next row begins a new statement. A single row
/// may be larger.
const MAX_BYTES: usize = 1 << 20;

/// Groups the rows of a dump into statements.
#[derive(Debug)]
pub(super) struct Loading {
    from: mpsc::Receiver<DumpItem>,
    batch: Option<RowBatch>,
    /// The step that the next call of `step` returns, if it is already known.
    next: Option<LoadStep>,
}

impl Loading {
    pub(super) fn new(from: mpsc::Receiver<DumpItem>) -> Loading {
        Loading {
            from,
            batch: None,
            next: None,
        }
    }

    /// The next step. Returns an error if the dump is incomplete.
    pub(super) async fn step(&mut self) -> Result<LoadStep, StoreError> {
        if let Some(step) = self.next.take() {
            return Ok(step);
        }
        loop {
            match self.from.recv().await {
                Some(DumpItem::Row(row)) => {
                    let without_table =
                        || StoreError::Invalid("a row of the dump belongs to no table".to_owned());
                    let batch = self.batch.as_mut().ok_or_else(without_table)?;
                    batch.bytes += row.iter().map(DumpValue::size).sum::<usize>();
                    batch.rows.push(row);
                    if batch.rows.len() >= MAX_ROWS || batch.bytes >= MAX_BYTES {
                        let next = RowBatch::new(batch.table, batch.columns.clone());
                        let full = std::mem::replace(batch, next);
                        return Ok(LoadStep::Insert(full));
                    }
                }
                Some(DumpItem::Table { table, columns }) => {
                    let before = self.batch.replace(RowBatch::new(table, columns));
                    let clear = match table.order {
                        Some(_) => LoadStep::Clear(table),
                        None => LoadStep::Nothing,
                    };
                    return Ok(self.after(before, clear));
                }
                Some(DumpItem::End) => {
                    let before = self.batch.take();
                    return Ok(self.after(before, LoadStep::Commit));
                }
                None => {
                    return Err(StoreError::Invalid(
                        "the dump is incomplete, and nothing of it was stored".to_owned(),
                    ));
                }
            }
        }
    }

    fn after(&mut self, before: Option<RowBatch>, step: LoadStep) -> LoadStep {
        match before.filter(|batch| !batch.rows.is_empty()) {
            Some(batch) => {
                self.next = Some(step);
                LoadStep::Insert(batch)
            }
            None => step,
        }
    }
}

impl RowBatch {
    fn new(table: &'static DumpTable, columns: Vec<usize>) -> RowBatch {
        RowBatch {
            table,
            columns,
            rows: Vec::new(),
            bytes: 0,
        }
    }

    /// The part of the statement before the values. If the table always has exactly one row, the statement
    /// updates this row. It does not replace the row, because the table has more columns in one of the
    /// databases.
    pub(super) fn statement(&self) -> String {
        let names = self.columns.iter().map(|at| self.table.columns[*at].0);
        let names = names.collect::<Vec<_>>().join(", ");
        match self.table.order {
            Some(_) => format!("INSERT INTO {} ({names}) ", self.table.name),
            None => format!("UPDATE {} SET ({names}) = (SELECT ", self.table.name),
        }
    }

    /// Whether the statement is an update.
    pub(super) fn is_update(&self) -> bool {
        self.table.order.is_none()
    }
}

impl DumpTable {
    /// The statement that selects all rows. Numbers are converted to 64 bits.
    pub(super) fn select(&self) -> String {
        let column = |(name, kind): &(&str, ColumnKind)| match kind {
            Integer => format!("CAST({name} AS BIGINT)"),
            Flag | Bytes | Text => (*name).to_owned(),
        };
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        let select = format!("SELECT {} FROM {}", columns.join(", "), self.name);
        match self.order {
            Some(order) => format!("{select} ORDER BY {order}"),
            None => select,
        }
    }
}

/// Why a dump cannot be loaded into a store; `None` if the store is empty. The arguments tell whether the store has
/// games, players and nodes.
pub(super) fn not_empty((games, players, nodes): (bool, bool, bool)) -> Option<StoreError> {
    let what = match (games, players, nodes) {
        (true, _, _) => "it has games",
        (false, true, _) => "it has players",
        (false, false, true) => "a server is using it, or was killed while it did",
        (false, false, false) => return None,
    };
    Some(StoreError::Invalid(format!(
        "the store is not empty: {what}; give the address of a new one"
    )))
}

/// Binds the values of a row to a statement.
macro_rules! push_values {
    ($values:ident, $batch:ident, $row:ident) => {
        for (at, value) in $batch.columns.iter().zip($row) {
            match (value, $batch.table.columns[*at].1) {
                (DumpValue::Integer(number), _) => $values.push_bind(*number),
                (DumpValue::Flag(flag), _) => $values.push_bind(*flag),
                (DumpValue::Bytes(bytes), _) => $values.push_bind(&**bytes),
                (DumpValue::Text(text), _) => $values.push_bind(&**text),
                (DumpValue::Null, ColumnKind::Integer) => $values.push_bind(None::<i64>),
                (DumpValue::Null, ColumnKind::Flag) => $values.push_bind(None::<bool>),
                (DumpValue::Null, ColumnKind::Bytes) => $values.push_bind(None::<Vec<u8>>),
                (DumpValue::Null, ColumnKind::Text) => $values.push_bind(None::<String>),
            };
        }
    };
}

/// Defines functions that dump and load inside the open transaction. They are the same for SQLite and PostgreSQL; see
/// [`shared_sql`](super::shared_sql).
macro_rules! shared_dump {
    ($connection:ty, $database:ty) => {
        /// Sends the tables of [`DUMPED`] and their rows. Stops early if the receiver was dropped.
        pub(super) async fn dump(
            from: &mut $connection,
            to: &mpsc::Sender<DumpItem>,
        ) -> Result<(), StoreError> {
            for table in DUMPED {
                let columns = (0..table.columns.len()).collect();
                if to.send(DumpItem::Table { table, columns }).await.is_err() {
                    return Ok(());
                }
                let mut rows = query(AssertSqlSafe(table.select())).fetch(&mut *from);
                while let Some(row) = rows.try_next().await? {
                    let kinds = table.columns.iter().enumerate();
                    let values = kinds.map(|(at, (_, kind))| {
                        Ok::<_, sqlx::Error>(
                            match kind {
                                ColumnKind::Integer => {
                                    row.try_get::<Option<_>, _>(at)?.map(DumpValue::Integer)
                                }
                                ColumnKind::Flag => {
                                    row.try_get::<Option<_>, _>(at)?.map(DumpValue::Flag)
                                }
                                ColumnKind::Bytes => {
                                    row.try_get::<Option<_>, _>(at)?.map(DumpValue::Bytes)
                                }
                                ColumnKind::Text => {
                                    row.try_get::<Option<_>, _>(at)?.map(DumpValue::Text)
                                }
                            }
                            .unwrap_or(DumpValue::Null),
                        )
                    });
                    let values = values.collect::<Result<Vec<_>, _>>()?;
                    if to.send(DumpItem::Row(values)).await.is_err() {
                        return Ok(());
                    }
                }
            }
            let _ = to.send(DumpItem::End).await;
            Ok(())
        }

        pub(super) async fn load_dump(
            to: &mut $connection,
            from: mpsc::Receiver<DumpItem>,
        ) -> Result<(), StoreError> {
            let found: (bool, bool, bool) = query_as(
                "SELECT EXISTS (SELECT 1 FROM games), EXISTS (SELECT 1 FROM players), \
                 EXISTS (SELECT 1 FROM nodes)",
            )
            .fetch_one(&mut *to)
            .await?;
            if let Some(error) = not_empty(found) {
                return Err(error);
            }
            let mut loading = Loading::new(from);
            loop {
                match loading.step().await? {
                    LoadStep::Nothing => {}
                    LoadStep::Clear(table) => {
                        let delete = format!("DELETE FROM {}", table.name);
                        query(AssertSqlSafe(delete)).execute(&mut *to).await?;
                    }
                    LoadStep::Insert(batch) => {
                        let mut insert = QueryBuilder::<$database>::new(batch.statement());
                        if batch.is_update() {
                            let mut values = insert.separated(", ");
                            for row in &batch.rows {
                                push_values!(values, batch, row);
                            }
                            insert.push(")");
                        } else {
                            insert.push_values(&batch.rows, |mut values, row| {
                                push_values!(values, batch, row);
                            });
                        }
                        insert.build().execute(&mut *to).await?;
                    }
                    LoadStep::Commit => return Ok(()),
                }
            }
        }

        pub(super) async fn last_sweep_ms(from: &mut $connection) -> Result<u64, StoreError> {
            let (at_ms,): (i64,) = query_as("SELECT coalesce(max(at_ms), 0) FROM heartbeat")
                .fetch_one(from)
                .await?;
            Ok(unsigned(at_ms))
        }
    };
}

pub(super) use {push_values, shared_dump};

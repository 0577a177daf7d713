//! Images of boards, and icons. Blocking threads draw them, and the results are cached. At most [`MAX_DRAWING`] boards
//! are drawn at the same time.
//!
//! Drawing a full 255x255 board takes 0.15 s (PNG) or 0.2 s (SVG). Without the limit and the cache, one client could
//! keep the machine busy.

mod drawing;
mod png_canvas;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use noughts_api::View;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::site::File;
use crate::id::GameId;

/// Maximum number of boards that are drawn at the same time; other requests wait.
const MAX_DRAWING: usize = 2;

/// Maximum total size of the images in the cache, in bytes.
pub(super) const MAX_BYTES: usize = 8 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Format {
    Svg,
    Png,
}

/// Identifies an image: the game, the number of completed turns that the image shows, and the format.
type Key = (GameId, usize, Format);

/// Draws images of boards, and caches them.
pub(super) struct BoardImages {
    drawing: Arc<Semaphore>,
    cache: Mutex<Cache>,
}

impl Default for BoardImages {
    fn default() -> BoardImages {
        BoardImages {
            drawing: Arc::new(Semaphore::new(MAX_DRAWING)),
            cache: Mutex::default(),
        }
    }
}

impl BoardImages {
    /// The image of a game after `turns` turns. `view` is called in a blocking thread, and only if the image is not
    /// cached. `None` if `view` or the drawing panicked.
    pub(super) async fn get(
        &self,
        (game, turns, format): Key,
        view: impl FnOnce() -> View + Send + 'static,
    ) -> Option<Arc<File>> {
        let draw = move || {
            let view = view();
            match format {
                Format::Svg => File::image("image/svg+xml", drawing::svg(&view).into_bytes()),
                Format::Png => File::image("image/png", drawing::png(&view)),
            }
        };
        self.get_or_draw((game, turns, format), draw).await
    }

    async fn get_or_draw(
        &self,
        key: Key,
        draw: impl FnOnce() -> File + Send + 'static,
    ) -> Option<Arc<File>> {
        if let Some(file) = self.cache().get(&key) {
            return Some(file);
        }
        let permit = Arc::clone(&self.drawing).acquire_owned().await.ok()?;
        // Another request may have drawn the image in the meantime.
        if let Some(file) = self.cache().get(&key) {
            return Some(file);
        }
        let drawn = spawn_blocking(move || {
            // The permit is held until the drawing ends, even if the client disconnects.
            let _permit = permit;
            Arc::new(draw())
        });
        let file = drawn.await.ok()?;
        self.cache().insert(key, Arc::clone(&file));
        Some(file)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cached images. When the cache is full, the oldest images are removed.
#[derive(Default)]
struct Cache {
    files: HashMap<Key, Arc<File>>,
    /// Keys in the order in which they were inserted.
    order: VecDeque<Key>,
    bytes: usize,
}

impl Cache {
    fn get(&self, key: &Key) -> Option<Arc<File>> {
        self.files.get(key).cloned()
    }

    /// Adds an image, and removes the oldest images until all fit into [`MAX_BYTES`]. Does nothing if the image is
    /// larger than [`MAX_BYTES`], or is already cached.
    fn insert(&mut self, key: Key, file: Arc<File>) {
        if file.size() > MAX_BYTES || self.files.contains_key(&key) {
            return;
        }
        self.bytes += file.size();
        self.files.insert(key, file);
        self.order.push_back(key);
        while self.bytes > MAX_BYTES {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            if let Some(file) = self.files.remove(&oldest) {
                self.bytes -= file.size();
            }
        }
    }
}

static ICONS: [Icon; 6] = [
    Icon::new("180.png", 180, false),
    Icon::new("192.png", 192, false),
    Icon::new("512.png", 512, false),
    Icon::new("mask-180.png", 180, true),
    Icon::new("mask-192.png", 192, true),
    Icon::new("mask-512.png", 512, true),
];

struct Icon {
    name: &'static str,
    pixels: usize,
    is_maskable: bool,
    file: OnceLock<File>,
}

impl Icon {
    const fn new(name: &'static str, pixels: usize, is_maskable: bool) -> Icon {
        Icon {
            name,
            pixels,
            is_maskable,
            file: OnceLock::new(),
        }
    }

    fn draw(&'static self) -> &'static File {
        self.file.get_or_init(|| {
            let png = drawing::icon(self.pixels, self.is_maskable);
            File::image("image/png", png)
        })
    }
}

/// The icon with this file name, drawn when it is first requested. `None` if there is no such icon, or if drawing
/// panicked.
pub(super) async fn icon(name: &str) -> Option<&'static File> {
    let icon = ICONS.iter().find(|icon| icon.name == name)?;
    match icon.file.get() {
        Some(file) => Some(file),
        None => spawn_blocking(|| icon.draw()).await.ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    fn key(number: u128) -> Key {
        (GameId::new(number), 0, Format::Png)
    }

    fn file(size: usize) -> File {
        File::image("image/png", vec![0; size])
    }

    #[tokio::test]
    async fn board_is_drawn_once_per_turn_and_format() {
        let images = BoardImages::default();
        let drawn = Arc::new(AtomicUsize::new(0));
        for key in [
            (GameId::new(1), 0, Format::Png),
            (GameId::new(1), 0, Format::Png),
            (GameId::new(1), 1, Format::Png),
            (GameId::new(1), 1, Format::Svg),
            (GameId::new(1), 0, Format::Png),
        ] {
            let count = Arc::clone(&drawn);
            let draw = move || {
                count.fetch_add(1, Ordering::Relaxed);
                file(1)
            };
            assert!(images.get_or_draw(key, draw).await.is_some());
        }
        assert_eq!(drawn.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn two_boards_are_drawn_at_a_time() {
        let images = Arc::new(BoardImages::default());
        let (started, starts) = mpsc::channel();
        let mut requests = Vec::new();
        let mut releases = Vec::new();
        for number in 0..10 {
            let (images, started) = (Arc::clone(&images), started.clone());
            let (release, released) = mpsc::channel::<()>();
            releases.push(release);
            requests.push(tokio::spawn(async move {
                let draw = move || {
                    let _ = started.send(number);
                    let _ = released.recv();
                    file(1)
                };
                images.get_or_draw(key(number), draw).await.is_some()
            }));
        }
        // Tasks run in the order in which they are spawned. When this empty task has run, every request has a
        // permit or waits for a permit.
        tokio::spawn(async {}).await.unwrap();
        let first = spawn_blocking(move || {
            let both = [starts.recv().unwrap(), starts.recv().unwrap()];
            (both, starts)
        });
        let (mut both, starts) = first.await.unwrap();
        both.sort_unstable();
        assert_eq!(both, [0, 1]);
        assert!(starts.try_recv().is_err());
        drop(releases);
        for request in requests {
            assert!(request.await.unwrap());
        }
        assert_eq!(starts.try_iter().count(), 8);
    }

    #[tokio::test]
    async fn panic_while_drawing_gives_the_permit_back() {
        let images = BoardImages::default();
        for number in 0..3 {
            let drawn = images.get_or_draw(key(number), || panic!("on purpose"));
            assert!(drawn.await.is_none());
        }
        assert!(images.get_or_draw(key(0), || file(1)).await.is_some());
    }

    #[test]
    fn cache_is_bounded_in_bytes() {
        let mut cache = Cache::default();
        for number in 0..100 {
            cache.insert(key(number), Arc::new(file(1 << 20)));
            assert!(cache.bytes <= MAX_BYTES);
        }
        assert!(cache.get(&key(99)).is_some());
        assert!(cache.get(&key(50)).is_none());
        assert_eq!(cache.files.len(), cache.order.len());
        cache.insert(key(200), Arc::new(file(MAX_BYTES + 1)));
        assert!(cache.get(&key(200)).is_none());
        assert!(cache.get(&key(99)).is_some());
    }

    #[tokio::test]
    async fn icons_are_drawn_once() {
        let first = icon("mask-192.png").await.unwrap();
        assert!(std::ptr::eq(first, icon("mask-192.png").await.unwrap()));
        assert!(icon("mask-193.png").await.is_none());
        assert!(icon("mask-mask-192.png").await.is_none());
    }
}

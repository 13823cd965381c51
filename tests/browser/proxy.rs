//! What stands between a browser and the site.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A barrier on the way of answers, until enough forms have come.
#[derive(Default)]
pub struct Barrier {
    expected: Mutex<usize>,
    came: Condvar,
}

impl Barrier {
    fn expected(&self) -> MutexGuard<'_, usize> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers to forms wait from now on until so many have come.
    pub fn waits_for(&self, forms: usize) {
        *self.expected() = forms;
    }

    fn comes(&self) {
        let mut expected = self.expected();
        *expected = expected.saturating_sub(1);
        self.came.notify_all();
    }

    fn passes(&self) {
        let passed = self
            .came
            .wait_while(self.expected(), |expected| *expected > 0);
        drop(passed.unwrap_or_else(PoisonError::into_inner));
    }
}

#[derive(Clone)]
pub enum Way {
    /// As through the filters of some schools: streams of events never get through.
    WithoutStreams,
    /// A slow line: answers to forms wait at the barrier.
    Slow(Arc<Barrier>),
}

/// A proxy before the site; gives its address. Forms say that they come from there; those of a school's filter have the
/// site's own address.
pub fn proxy(to: &str, way: Way) -> String {
    let to = to.trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    thread::spawn(move || {
        for here in listener.incoming().map_while(Result::ok) {
            let (to, own, way) = (to.clone(), address.to_string(), way.clone());
            thread::spawn(move || pass(here, (&own, &to), &way));
        }
    });
    format!("http://{address}")
}

fn pass(mut here: TcpStream, (own, to): (&str, &str), way: &Way) {
    let Ok(mut there) = TcpStream::connect(to) else {
        return;
    };
    let (mut back, mut answers) = (
        here.try_clone().expect("a connection"),
        there.try_clone().expect("a connection"),
    );
    let is_form = Arc::new(AtomicBool::new(false));
    let (asked, slow) = (Arc::clone(&is_form), way.clone());
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(length @ 1..) = answers.read(&mut buffer) {
            if let Way::Slow(barrier) = &slow
                && asked.load(Ordering::SeqCst)
            {
                barrier.passes();
            }
            if back.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = back.shutdown(Shutdown::Both);
    });
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = here.read(&mut buffer) {
        let request = String::from_utf8_lossy(&buffer[..length]);
        let line = request.lines().next().unwrap_or_default();
        match way {
            // The request is not refused: it just has no answer.
            Way::WithoutStreams if line.contains("/live HTTP") => continue,
            Way::WithoutStreams => {}
            Way::Slow(barrier) => {
                let posts = line.starts_with("POST ");
                is_form.store(posts, Ordering::SeqCst);
                if posts {
                    barrier.comes();
                }
            }
        }
        let [own, to] = [own, to].map(|place| format!("Origin: http://{place}\r\n"));
        if there
            .write_all(request.replace(&own, &to).as_bytes())
            .is_err()
        {
            break;
        }
    }
    let _ = there.shutdown(Shutdown::Both);
}

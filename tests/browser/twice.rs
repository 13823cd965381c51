//! A button that is pressed again, because nothing seems to happen on a slow line.

use std::sync::Arc;

use super::access::said;
use super::person::Person;
use super::proxy::{Barrier, Way, proxy};
use super::site::TestSite;

/// A class, and a lesson of it, are made once, with scripts and without.
#[tokio::test]
async fn a_button_pressed_twice_on_a_slow_line_makes_one_class_and_one_lesson() {
    let Some(site) = TestSite::open_with_a_class().await else {
        return;
    };
    let password = said(&site, "with the password: ");
    let barrier = Arc::new(Barrier::default());
    let slow = proxy(&site.url, Way::Slow(Arc::clone(&barrier)));
    for (name, scripts, classes) in [
        ("Scripts", true, ["8A", "8B"]),
        ("Plain", false, ["8C", "8D"]),
    ] {
        let teacher = Person::new(&site, name, scripts).await;
        teacher.open(&format!("{slow}/sign-in")).await;
        teacher.fill("[name=login]", "Teacher").await;
        teacher.fill("[name=password]", password).await;
        teacher.click("form[action='/sign-in'] button.main").await;
        teacher
            .until("!!document.querySelector('a.me[href=\"/account\"]')")
            .await;
        for (width, class) in [390, 1366].into_iter().zip(classes) {
            teacher.screen(width, 800, false).await;
            teacher.open(&format!("{slow}/classes")).await;
            teacher
                .fill("form[action='/classes'] [name=name]", class)
                .await;
            teacher
                .fill("form[action='/classes'] textarea", "Anna\nBen")
                .await;
            for (button, then) in [
                ("form[action='/classes'] button.main", "/class/"),
                ("form[action$='/lesson'] button", "/team/"),
            ] {
                // No answer comes before the second press.
                barrier.waits_for(2);
                teacher.clicks_twice(button).await;
                teacher
                    .until(&format!("location.pathname.startsWith({then:?})"))
                    .await;
            }
            teacher.open(&format!("{slow}/classes")).await;
            teacher
                .until("location.pathname === '/classes' && document.readyState === 'complete'")
                .await;
            let count = "[...document.querySelectorAll('main a[href^=\"/class/\"]')].map(a => a.textContent)";
            let made = teacher.eval(count).await.expect("classes").to_string();
            assert_eq!(made.matches(class).count(), 1, "{made}");
        }
    }
}

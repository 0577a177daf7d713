// Before anything is shown: the theme that was chosen by hand.
try {
  const wishes = JSON.parse(localStorage.getItem("noughts.wishes") || "{}");
  if (wishes.theme === "light" || wishes.theme === "dark") document.documentElement.dataset.theme = wishes.theme;
} catch {
  // Without storage it is the system's.
}

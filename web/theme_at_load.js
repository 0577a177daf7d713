// Before anything is shown: the theme that was chosen by hand.
try {
  const preferences = JSON.parse(localStorage.getItem("noughts.wishes") || "{}");
  if (preferences.theme === "light" || preferences.theme === "dark")
    document.documentElement.dataset.theme = preferences.theme;
} catch {
  // Without storage it is the system's.
}

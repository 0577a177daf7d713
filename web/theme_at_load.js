// Runs before the first paint: applies the theme from the preferences.
try {
  const preferences = JSON.parse(localStorage.getItem("noughts.wishes") || "{}");
  if (preferences.theme === "light" || preferences.theme === "dark")
    document.documentElement.dataset.theme = preferences.theme;
} catch {
  // Without storage the system's theme applies.
}

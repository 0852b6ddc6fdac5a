"""What other browsers do differently, as scripts for a page in Chromium."""

# In Safari, a press on a button takes the focus from all elements and gives it to none.
LIKE_SAFARI = """addEventListener('mousedown', (event) => {
  if (!event.target.closest('button')) return;
  event.preventDefault();
  document.activeElement?.blur();
})"""

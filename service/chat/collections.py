"""The two collections of the specification, and the users they belong to."""

from service.auth.models import User
from service.chat.models import Chat, Message
from service.records.collection import EVERY_ROLE, Collection, Column, Permissions

# Creation goes through the chat routes alone: a client could otherwise forge an assistant's row,
# which later turns would read back as history.
OWN_BUT_NOT_CREATE: Permissions = {
    EVERY_ROLE: {"read": "own", "create": False, "update": "own", "delete": "own"},
}

AI_CHATS = Collection(
    name="ai-chats",
    model=Chat,
    record_id="record_id",
    owner="user_id",
    columns=(
        Column("userId", "user_id", required=True),
        Column("title", "title"),
    ),
    permissions=OWN_BUT_NOT_CREATE,
)

AI_MESSAGES = Collection(
    name="ai-messages",
    model=Message,
    record_id="record_id",
    owner="user_id",
    columns=(
        Column("chatId", "chat_id", required=True),
        Column("userId", "user_id", required=True),
        Column("role", "role", required=True),
        Column("content", "content", required=True),
        Column("parts", "parts", "array"),
    ),
    permissions=OWN_BUT_NOT_CREATE,
)

USERS = Collection(
    name="users",
    model=User,
    record_id="subject",
    owner="subject",
    columns=(
        Column("role", "role"),
        Column("email", "email"),
        Column("name", "name"),
        Column("disabled", "disabled", "boolean", required=True),
    ),
    permissions={EVERY_ROLE: {"read": "own"}},
)

BUILT_IN = (AI_CHATS, AI_MESSAGES, USERS)

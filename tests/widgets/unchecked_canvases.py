"""An app whose canvases would be stored without a check."""

from service.records.collection import Collection, Column

COLLECTIONS = (Collection("canvases", (Column("userId"), Column("widgets", "array")), {}),)
